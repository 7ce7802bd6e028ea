/** Several servers on one database, of which one is lost. */
import { readFileSync } from "node:fs"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Balancer from "../Balancer.ts"
import type { Experiment, Trial } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const least = { "answered by the others": 5, "answered afterwards": 10 }

/** Loses a server under load, and brings it back. */
const losing = (
  { count, seconds, show, wrong }: Trial,
  servers: {
    readonly lose: Effect.Effect<void, never, Scope.Scope>
    readonly recover: Effect.Effect<void>
    /** How many answers the others have given. */
    readonly others: () => number
    /** How many answers the server has given that is lost. */
    readonly lost: () => number
  }
) =>
  Effect.gen(function* () {
    yield* Effect.sleep(seconds * 350)
    yield* servers.lose
    // What was under way is over.
    yield* Effect.sleep(100)
    const before = servers.others()
    yield* show("      one of them was lost")
    yield* Effect.sleep(seconds * 250)
    const meanwhile = servers.others() - before
    count("answered by the others", meanwhile)
    if (meanwhile < least["answered by the others"])
      wrong(`${meanwhile} requests were answered while one server was lost`)
    const atReturn = servers.lost()
    yield* servers.recover
    yield* show("      the lost one serves again")
    yield* Effect.sleep(seconds * 400)
    yield* Wait.holds(() => servers.lost() - atReturn >= 10, 60_000)
    count("answered afterwards", servers.lost() - atReturn)
  })

export const replicas: Experiment = {
  name: "replicas",
  attack: "SIGKILL of one of three replicas behind a proxy; it is started again",
  databases: ["postgres"],
  seconds: 3,
  least: { acknowledged: 50, ...least },
  controls: [{ broken: "there is only one" }],
  run: (trial) =>
    Effect.gen(function* () {
      yield* trial.show("starting PostgreSQL and three replicas")
      const storage = yield* Storage.make(trial.database)
      const balancer = yield* Balancer.make(trial.isControl ? 1 : 3, storage, trial.show)
      const load = yield* Load.make({ ports: [balancer.port], writers: 8 })
      const [first] = balancer.backends
      yield* losing(trial, {
        lose: first.service.kill,
        recover: Effect.orDie(first.service.start),
        others: () => load.statuses.of(201),
        lost: () => first.answered
      })
      yield* Load.ended(trial, load, balancer.port, 0, 502)
    })
}

/** Does what systemd does: holds a listening socket, and runs a command on it this many times, each again after its end. */
const unit = `
  use IO::Socket::INET; use POSIX; $^F = 3;
  my ($port, $many, @command) = @ARGV;
  my $socket = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 511) or die;
  POSIX::dup2(fileno($socket), 3);
  sub run { return if fork; $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_PID} = $$; exec @command }
  run() for 1..$many;
  while (wait() > 0) { sleep 1; run() }`

export const socket: Experiment = {
  name: "socket",
  attack: "SIGKILL of one of two processes on one socket, as of systemd, which starts it again",
  databases: ["sqlite", "postgres"],
  needs: ["Linux", "Perl"],
  seconds: 3,
  least: { acknowledged: 50, ...least },
  controls: [{ broken: "there is only one" }],
  run: (trial) =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(LocalPostgres.freePort)
      const many = trial.isControl ? 1 : 2
      const service = yield* Service.started({
        ...(yield* Storage.make(trial.database)),
        port,
        env: { LOG_LEVEL: "info" },
        wrapper: ["perl", "-e", unit, `${port}`, `${many}`]
      })
      const areServing = (starts: number) =>
        Wait.holds(() => service.output().split('"serving ').length > starts, 60_000)
      yield* areServing(many)
      const load = yield* Load.make({ ports: [port], writers: 8 })
      yield* losing(trial, {
        lose: Effect.sync(() => {
          const pid = service.pid()
          const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")
          process.kill(Number(child), "SIGKILL")
        }),
        recover: Effect.asVoid(areServing(many + 1)),
        others: () => load.statuses.of(201),
        lost: () => load.statuses.of(201)
      })
      yield* Load.ended(trial, load, port, 0)
    })
}

export const suspend: Experiment = {
  name: "suspend",
  attack: "SIGSTOP of one of two servers under 16 writers each, then SIGCONT",
  databases: ["postgres"],
  seconds: 4,
  least: { "with requests under way": 1, ...least },
  controls: [{ broken: "another session holds a lock of the table while the server stands still" }],
  run: (trial) =>
    Effect.gen(function* () {
      const { url } = yield* Storage.make(trial.database)
      const service = yield* Service.started({ url })
      const other = yield* Service.started({ url })
      const load = yield* Load.make({ ports: [service.port], writers: 16 })
      const beside = yield* Load.make({ ports: [other.port], writers: 16 })
      const signal = (name: "SIGSTOP" | "SIGCONT") =>
        Effect.sync(() => void process.kill(service.pid() ?? 0, name))
      const lock = `BEGIN; LOCK TABLE pets; SELECT pg_sleep(${trial.seconds})`
      yield* losing(trial, {
        lose: Effect.gen(function* () {
          if (yield* load.underWay) trial.count("with requests under way")
          if (trial.isControl)
            yield* Effect.forkScoped(Effect.promise(() => LocalPostgres.execute(url, lock)))
          yield* signal("SIGSTOP")
        }),
        recover: signal("SIGCONT"),
        others: () => beside.statuses.of(201),
        lost: () => load.statuses.of(201)
      })
      yield* load.stop
      yield* beside.stop
      const history = [...load.history, ...beside.history]
      for (const one of [load, beside])
        yield* Load.ended(trial, { ...one, history }, service.port, 0)
    })
}
