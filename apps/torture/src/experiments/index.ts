/** All experiments, in the order in which they run. */
import type { Experiment } from "../Experiment.ts"
import { callers, readers } from "./callers.ts"
import { commands } from "./commands.ts"
import { kill, power } from "./crashes.ts"
import { damage } from "./damage.ts"
import { disk, sync } from "./disk.ts"
import { failover, oldPrimary } from "./failover.ts"
import { keys } from "./keys.ts"
import { lock } from "./lock.ts"
import { overload } from "./overload.ts"
import { postgres } from "./postgres.ts"
import { replicas, socket, suspend } from "./replicas.ts"
import { rolling } from "./rolling.ts"
import { secrets } from "./secrets.ts"
import { stop } from "./stop.ts"
import { streams } from "./streams.ts"
import { time } from "./time.ts"

export const experiments: ReadonlyArray<Experiment> = [
  ...[kill, power, sync, disk, damage, lock],
  ...[stop, rolling, replicas, socket, suspend],
  ...[postgres, failover, oldPrimary],
  ...[keys, commands, streams, callers, readers, overload, time, secrets]
]
