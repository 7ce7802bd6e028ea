/** Ports for servers that are stopped and started again. */
import { createServer } from "node:net"

/** Below those that systems assign by themselves, so that no other program gets the port while the server is down. */
const [first, count] = [20_000, 10_000]

/** A random port of this machine that no server uses. */
export const free = async (): Promise<number> => {
  while (true) {
    const port = first + Math.floor(Math.random() * count)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
