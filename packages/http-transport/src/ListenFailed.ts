/** The error of listeners. */
import * as Data from "effect/Data"

/** The address could not be listened on. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  readonly cause: NodeJS.ErrnoException
}> {
  override get message() {
    return `cannot listen on ${this.host}:${this.port}: ${this.cause.code ?? this.cause.message}`
  }
}
