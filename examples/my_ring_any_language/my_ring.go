// Rendezvous hashing: a key belongs to the member with the highest score for it.
//
//	go build -o my_ring my_ring.go && shardcheck placement --exec ./my_ring
package main

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
)

type member struct {
	weight float64
	rack   string
}

var members = map[string]member{} // names stay the words that they came as

func score(name, key string) float64 {
	hash := fnv.New64a()
	hash.Write([]byte(name + " " + key))
	mixed := hash.Sum64() // FNV alone barely changes its high bits with the last letters
	mixed = (mixed ^ mixed>>30) * 0xbf58476d1ce4e5b9
	mixed = (mixed ^ mixed>>27) * 0x94d049bb133111eb
	return -members[name].weight / math.Log((float64((mixed^mixed>>31)>>12)+0.5)/(1<<52))
}

func replicas(key string, count int) []string { // one of every rack first
	var names, first, later []string
	scores, racks := map[string]float64{}, map[string]bool{}
	for name := range members {
		names, scores[name] = append(names, name), score(name, key)
	}
	sort.Slice(names, func(i, j int) bool { return scores[names[i]] > scores[names[j]] })
	for _, name := range names {
		if rack := members[name].rack; rack != "-" && racks[rack] {
			later = append(later, name)
		} else {
			first, racks[rack] = append(first, name), true
		}
	}
	return append(first, later...)[:count]
}

func answer(verb string, words []string) string {
	number := func(at int) int { value, _ := strconv.Atoi(words[at]); return value }
	valid := func() bool { return number(1) >= 1 && number(1) <= 1<<20 }
	known := func() bool { _, found := members[words[0]]; return found }
	switch {
	case verb == "hello":
		return "ok movement_share=bound balance=bound"
	case verb == "reset":
		members = map[string]member{}
		return "ok"
	case verb == "add" && valid() && !known() && words[0] != "-":
		members[words[0]] = member{float64(number(1)), words[2]}
		return "ok"
	case verb == "weight" && valid() && known():
		members[words[0]] = member{float64(number(1)), members[words[0]].rack}
		return "ok"
	case verb == "remove" && known():
		delete(members, words[0])
		return "ok"
	case verb == "list" && number(0) <= len(members):
		return strings.Join(append([]string{"ok"}, replicas(words[1], number(0))...), " ")
	case strings.HasPrefix(verb, "owner") && len(members) > 0:
		names := []string{"ok"}
		for _, key := range words {
			best, highest := "", -1.0
			for name := range members {
				if found := score(name, key); found > highest {
					best, highest = name, found
				}
			}
			names = append(names, best)
		}
		return strings.Join(names, " ")
	}
	return "error not with these members"
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Split(lines.Text(), " ")
		fmt.Println(answer(words[0], words[1:]))
	}
}
