/** Connections to the host that is the right one when they are made. */
import pg from "pg"

/** Where a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** Finds the right host. */
export interface Route {
  /** Calls back with its address, or with none if it is not found within these milliseconds. */
  readonly locate: (patience: number, callback: (address: Address | undefined) => void) => void
  /** Why it is not found. */
  readonly problem: () => Error
}

type Connected = (error: Error) => void

/** The driver's class of a connection, which asks for the address first. */
export const make = ({ locate, problem }: Route, patience: number): typeof pg.Client =>
  class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(connected: Connected): void
    override connect(connected?: Connected) {
      if (connected === undefined) return super.connect()
      return locate(patience, (address) => {
        if (address === undefined) connected(problem())
        else {
          Object.assign(this, address)
          super.connect(connected)
        }
      })
    }
  }
