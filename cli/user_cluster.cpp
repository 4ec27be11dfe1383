#include "cli/user_cluster.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/refusal.h"
#include "cli/shell_word.h"
#include "cli/verify_report.h"
#include "harness/adapters/cluster_runner.h"
#include "harness/adapters/verify_cluster.h"
#include "harness/annotate.h"
#include "harness/excerpt.h"

namespace shardcheck::cli {

const UserCluster* find_cluster(const std::vector<UserCluster>& clusters, const std::string& name) {
  const auto found = std::ranges::find(clusters, name, &UserCluster::name);
  return found == clusters.end() ? nullptr : &*found;
}

ExitCode verify_user_cluster(const UserCluster& user, const UserClusterFlags& flags) {
  const std::unique_ptr<Cluster> cluster = user.make();
  harness::ClusterReport judged = harness::verify_cluster(*cluster, user.name, flags.campaign);
  VerifyReport report;
  report.system = "cluster " + user.name;
  report.seed = judged.seed;
  for (const harness::Failure& failure : judged.campaign.failures) {
    harness::Excerpt excerpt(failure.scenario);
    harness::FaultListener faults(&excerpt);
    harness::ClusterRunner runner(*cluster, user.name);
    runner.run(failure.scenario, &faults);
    const std::string name = fmt::format("{}-{}-{}", clause(failure.violation.clause).text_id, user.name, judged.seed);
    Finding finding{failure.violation,
                    report.system,
                    name,
                    harness::annotated_text(failure.scenario, faults),
                    failure.scenario.size(),
                    excerpt.before(failure.violation)};
    const Result<std::string> path = keep(finding, flags.out);
    if (!path) {
      return refuse(path.error(), flags.as_json);
    }
    report.findings.push_back({std::move(finding), *path});
  }
  report.campaign = judged.campaign;
  const auto exit = static_cast<ExitCode>(harness::exit_code_of(judged));
  if (flags.as_json) {
    nlohmann::json document = to_json(report);
    document["error"] = judged.campaign.error;
    document["exit_code"] = static_cast<int>(exit);
    document["verdict"] = name_of(exit);
    fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}", harness::to_text(judged));
    for (const KeptFinding& kept : report.findings) {
      fmt::print("again: replay {}\npicture: {}\n", shell_word(kept.path), picture_command(kept.path));
    }
  }
  if (!flags.junit.empty()) {
    if (const auto written = write_junit(report, flags.junit); !written) {
      return refuse(written.error(), false);
    }
  }
  return exit;
}

Result<Replayed> replay_user_cluster(const std::vector<UserCluster>& clusters, const harness::Scenario& scenario,
                                     harness::TraceSink* trace) {
  const UserCluster* user = find_cluster(clusters, scenario.system->name);
  if (user == nullptr) {
    return fail("", fmt::format("this program has no system '{}'", scenario.system->name));
  }
  const std::unique_ptr<Cluster> cluster = user->make();
  if (const auto checked = harness::check_shape(cluster->shape()); !checked) {
    return std::unexpected(checked.error());
  }
  harness::ClusterRunner runner(*cluster, user->name);
  if (const auto checked = runner.check(scenario); !checked) {
    return std::unexpected(checked.error());
  }
  harness::RunReport report = runner.run(scenario, trace);
  if (!runner.error().empty()) {
    return fail(user->name, runner.error());
  }
  return Replayed{std::move(report), runner.history()};
}

}  // namespace shardcheck::cli
