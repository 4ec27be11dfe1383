#include "spec/clauses.h"

#include <array>

#include "spec/assert.h"

namespace shardcheck {
namespace {

constexpr std::array<Clause, kClauses> kTable{{
    {ClauseId::P1, "P1", "RingDeterminism",
     "placement is a pure function of {members, weights, scheme parameters, hash id}; independent of "
     "insertion order, process and history (add then remove = never added). A scheme states for P1, P3, P4, "
     "P5 whether it promises them exactly, within a bound, or not at all (maglev, bounded loads, jump, "
     "weighted ketama, maps), and is judged by what it states",
     "RapidCheck over member permutations and add/remove histories; cross-process golden"},
    {ClauseId::P2, "P2", "RingCoverage",
     "every hash value has exactly one owner while there is a member: below first, on a point, between, "
     "above last; empty ring is a typed error",
     "RapidCheck with boundary-biased hashes (0, max, point-1, point, point+1)"},
    {ClauseId::P3, "P3", "MinimalMovement",
     "add: every moved key lands on the new node; remove: only the removed node's keys move; weight change "
     "of n: only keys from/to n move; no survivor-to-survivor move",
     "RapidCheck pair of rings, exact check"},
    {ClauseId::P4, "P4", "MovementBound",
     "moved fraction <= expected share (w_n / sum w) + stated tolerance, on fixed samples or exactly on arcs",
     "RapidCheck/statistical test with fixed seeds"},
    {ClauseId::P5, "P5", "BalanceBound",
     "share of every member within the scheme's bound of its weight share, on fixed samples or exactly on "
     "arcs (ring: relative spread sqrt((N-1)/(N V + 1))); every member with weight > 0 owns something; the "
     "key is used",
     "statistical test, benchmark metric"},
    {ClauseId::P6, "P6", "PreferenceDistinct",
     "R distinct nodes, and distinct racks while racks are left; the first is the owner; a prefix for "
     "smaller R; wraps; explicit error iff R > members. Without racks: removal of a member slides the list "
     "by one, a join inserts one member and drops the last",
     "RapidCheck"},
    {ClauseId::P7, "P7", "CollisionStable",
     "colliding points never lose a member's point; tie-break total and order-free; removing one leaves the "
     "other",
     "RapidCheck with a truncated hash (8..12 bits) to force collisions"},
    {ClauseId::P8, "P8", "CrossImplAgreement",
     "owner(key) equals the golden vectors of the named scheme (ketama, seed ring, jump, maglev...)",
     "golden vector file + differential test of two builds"},
    {ClauseId::P9, "P9", "ScatterOnLeave",
     "on a ring with virtual nodes a leaving member's load goes to many successors: with V >= 100 no "
     "survivor takes more than a stated multiple of its fair share of it",
     "exact on arcs"},
    {ClauseId::D1, "D1", "DirectoryTiling",
     "at every directory version the ranges tile [min,max): no gap, no overlap, no empty range, one owner "
     "each",
     "state check after every directory step, in seeded, RapidCheck and libFuzzer runs with splits, merges and moves"},
    {ClauseId::D2, "D2", "EpochMonotonic",
     "each change of owner or bounds gets a strictly larger epoch than all covered ranges; "
     "(range,epoch)->owner is a function over the whole run, directory failover included",
     "run-wide history set"},
    {ClauseId::D3, "D3", "DirectoryCAS",
     "a change commits only against the exact epoch it was planned on; overlapping moves are rejected; order "
     "of grants is total",
     "state check + concurrent commands"},
    {ClauseId::D4, "D4", "RouterMonotone",
     "every record a router caches existed in the directory; per key the position it knows never decreases; "
     "it never invents a map",
     "trace check"},
    {ClauseId::D5, "D5", "TierAgreement",
     "two-level directory: top level and shards of metadata agree, a lookup crossing a metadata split "
     "terminates",
     "state check"},
    {ClauseId::D6, "D6", "OwnerSplitsFirst",
     "the owner's durable split precedes the directory's entry for it, and the owner accepts the parent's "
     "epoch until it has applied that entry",
     "trace"},
    {ClauseId::L1, "L1", "SingleOwner",
     "at every instant of true time at most one node would perform an effect (write, or answer a read) for a "
     "key; judged from claim intervals in true time, not by polling",
     "omniscient probe at every step"},
    {ClauseId::L2, "L2", "LeaseSafety",
     "a holder performs no effect after expiry on the bound of skew and drift, checked where the effect "
     "happens (reply leaves or state becomes visible), not only at admission; only a majority-acknowledged "
     "renewal extends it; a new grant needs a durable release, or expiry plus skew. Stricter than the source "
     "text, whose example grants one second before the old lease ends. Grace after a stall of the directory "
     "only delays re-granting, it never extends a holder",
     "omniscient probe with skewed/paused clocks"},
    {ClauseId::L3, "L3", "EpochFence",
     "a node performs an effect only if the request's epoch = the epoch it holds = the highest it has seen "
     "for the range, and its lease is valid at the effect; the highest seen is durable",
     "probe + history"},
    {ClauseId::L4, "L4", "AmnesiaUntrusted",
     "a node that lost its memory of epoch or lease serves nothing for the range until re-onboarded from a "
     "replica; with a replica set of one the data is reported lost, and M1, V1 are exempt for it",
     "probe after crash-with-wipe"},
    {ClauseId::L5, "L5", "GrantDurable", "no node acts on a grant that is not majority-acknowledged",
     "probe + directory failover"},
    {ClauseId::M1, "M1", "NoLostWrite",
     "final (and every later) read of a key reflects every acked write not superseded by a later one",
     "history check, linear time, unique values"},
    {ClauseId::M2, "M2", "NoResurrection",
     "after an acknowledged delete the key stays absent until a put that overlaps or follows it; puts "
     "without an answer may take effect later",
     "history check"},
    {ClauseId::M3, "M3", "NoDuplicateApply",
     "one logical request id has at most one effect across retries, redirects, moves, splits, restarts",
     "append-list/counter workload"},
    {ClauseId::M4, "M4", "VersionMonotonic",
     "the version of a key in one copy's durable state never decreases while that copy lives; backfill and "
     "replay apply only newer",
     "state check at each apply"},
    {ClauseId::M5, "M5", "CutoverContentEqual",
     "at the barrier the destination's content equals the source's on the range: values, versions, "
     "tombstones (none collected during a move), request ids, and the source epoch the move was pinned to; "
     "by incremental digests, so that comparing does not make the pause grow with the range",
     "content digest at cutover"},
    {ClauseId::M6, "M6", "FenceBeforeSwitch",
     "the source acknowledges nothing (write or read) after it confirmed the barrier, unless an abort is "
     "committed; order: stop, drain admitted operations, take the barrier, replay to it, commit",
     "trace check on event order"},
    {ClauseId::M7, "M7", "DestInactiveUntilCommit",
     "dest answers no client for the range before the committed epoch names it", "probe"},
    {ClauseId::M8, "M8", "CrashResume",
     "crash or loss of any participant in any phase, at any message: the move resumes or aborts; commit and "
     "abort exclude one another (both conditional on move id and source epoch in the directory), only a "
     "committed abort lets the source serve again; an older mover is refused by the move record's own epoch; "
     "ends with one owner, no fence and no residue; every step idempotent",
     "drawn crashes and losses, anchored at messages; every possible phase x fault x participant is counted as "
     "reached"},
    {ClauseId::M9, "M9", "CleanupSafety",
     "source copy removed only after confirmed cutover + retention; never data owned again; eventually "
     "removed",
     "state check + end-of-run leak check"},
    {ClauseId::M10, "M10", "RangeConfinement",
     "changes caused by a move or its cleanup stay inside [lo,hi) of the range",
     "state check of each key that a move or its cleanup is told to touch"},
    {ClauseId::M11, "M11", "LogOutlivesCopy",
     "the log from the snapshot position stays available until the copy no longer needs it; a trimmed log "
     "restarts the copy, it never leaves a gap",
     "trace"},
    {ClauseId::C1, "C1", "Linearizable",
     "per-key history (read, write, cas, append, delete, with indeterminate ops) is linearizable",
     "P-compositional WGL checker"},
    {ClauseId::S1, "S1", "ScanComplete",
     "a scan returns each live key of the interval exactly once across range boundaries and moves (or a "
     "typed retry)",
     "model comparison at quiescence; concurrent weak form"},
    {ClauseId::R1, "R1", "ErrorContract",
     "redirect, stale epoch and transient are distinct on the wire. Request epoch below the highest seen: "
     "stale. Equal, not the owner: redirect. Above what the server knows: transient, and the server asks the "
     "directory. None given: redirect or forward. Redirect and stale are definite (no effect ever) for that "
     "attempt; a request given up after any transient or unanswered attempt is of unknown outcome. The "
     "client's action follows the table",
     "trace + history"},
    {ClauseId::R2, "R2", "BoundedRedirects",
     "hops per request <= bound per change of epoch met; no cycle while epochs are unchanged", "trace"},
    {ClauseId::R3, "R3", "NoMetadataStampede",
     "error-driven directory reads of a router <= restarts + changes it met + its unanswered reads; none "
     "caused by a transient error; concurrent refreshes coalesce into one at the smallest position needed",
     "counter bound per scenario"},
    {ClauseId::R4, "R4", "BoundedStaleness",
     "a routing tier or polling client is never staler than one refresh interval plus one round trip while "
     "the directory answers; a dead owner is learned by watch or poll, not by refreshing on time-outs",
     "virtual time"},
    {ClauseId::V1, "V1", "EventualService",
     "after the last fault every range serves within T of virtual time (T includes the lease, the poll "
     "interval and one election)",
     "bounded liveness, VOPR-like core/liveness phase"},
    {ClauseId::V2, "V2", "MoveProgress",
     "every accepted move commits or aborts in bounded time; if write rate > apply rate it throttles, splits "
     "or aborts, never runs for ever; one stuck move does not block others",
     "bounded liveness with rate-controlled load"},
    {ClauseId::V3, "V3", "BalancerConverges",
     "planner reaches a fixpoint; zero moves at the fixpoint; no A->B->A without an input change",
     "by nothing yet: the reference has no planner"},
    {ClauseId::V4, "V4", "UnaffectedService",
     "requests to ranges not in a move keep their success and latency bound; a stall of the directory "
     "shorter than the grace reassigns nothing; destination's own ranges keep their bound while it receives; "
     "automatic moves are gated so that a slow node does not start a cascade",
     "bound on each answer; the grants after a stall"},
    {ClauseId::V5, "V5", "BoundedPause",
     "without faults the range's pause <= tail / apply rate + one directory commit + 4 message delay bounds",
     "simulated-time metric"},
    {ClauseId::V6, "V6", "SourceSpaceFreed",
     "after the retention horizon the source's space is free again, and a node is not given more than it can "
     "hold while old copies wait",
     "state check"},
    {ClauseId::X1, "X1", "ReplayDeterminism",
     "same seed + same build = same trace hash (also across -O levels, ASan, 2nd run)",
     "one run in 16 is run twice and the hashes compared; those of two compilers and of -O0 in every test run"},
    {ClauseId::X2, "X2", "ReachedStates",
     "each (phase, fault) pair and each error code was reached at least once in the campaign",
     "sometimes-assertions / coverage marks"},
    {ClauseId::Q1, "Q1", "AckedSurvives",
     "ring store: after healing, each key's version is at least every acknowledged one, unless all W "
     "acknowledgers lost their disks",
     "by nothing yet: the reference has no ring store. There it replaces C1, L1, M1: sloppy quorums are not "
     "linearizable"},
    {ClauseId::Q2, "Q2", "ReplicasConverge",
     "ring store: after healing, all members of a key's preference list hold the same version",
     "by nothing yet: the reference has no ring store"},
    {ClauseId::Q3, "Q3", "HintsReturn",
     "ring store: a write during a failure goes to the next distinct node as a hint, returns to its home "
     "after recovery, and is then gone from the stand-in",
     "by nothing yet: the reference has no ring store"},
    {ClauseId::I1, "I1", "LocalIndexExact",
     "a scatter-gather lookup by an indexed value returns exactly the matching rows at quiescence, each "
     "once, also after splits and moves",
     "by nothing yet: the reference has no index"},
    {ClauseId::I2, "I2", "GlobalIndexCatchesUp",
     "an asynchronous global index reflects every acknowledged change within a bound after the last one, and "
     "never points to a row that was not there",
     "by nothing yet: the reference has no index"},
}};

}  // namespace

std::span<const Clause> clauses() { return kTable; }

const Clause& clause(ClauseId id) {
  const Clause& row = kTable[static_cast<std::size_t>(id)];
  SHARDCHECK_ASSERT(row.id == id);
  return row;
}

std::optional<ClauseId> clause_by_text_id(std::string_view text_id) {
  for (const Clause& row : kTable) {
    if (row.text_id == text_id) {
      return row.id;
    }
  }
  return std::nullopt;
}

}  // namespace shardcheck
