/** A listening socket that systemd passes to the service: it stays open while the service restarts. */
import * as Config from "effect/Config"

/** The first one that is passed: see sd_listen_fds(3). */
const firstDescriptor = 3

/** Its file descriptor, if there is one. */
export const fd: Config.Config<number | undefined> = Config.all({
  pid: Config.integer("LISTEN_PID"),
  count: Config.integer("LISTEN_FDS")
}).pipe(
  Config.map(({ count, pid }) => (count > 0 && pid === process.pid ? firstDescriptor : undefined)),
  Config.withDefault(undefined)
)
