/** Decides which requests are traced, as OpenTelemetry's samplers do. */
import type { TraceParent } from "./TraceParent.ts"

/** The name of a sampler, and its argument. */
export interface Options {
  readonly sampler: string
  readonly samplerRatio: number
}

/** Whether a request is traced: by its parent's decision if the sampler asks for it, or by a rate. */
export const make = ({
  sampler,
  samplerRatio
}: Options): ((parent: TraceParent | undefined) => boolean) => {
  const [, ofParent, rule = ""] = /^(parentbased_)?(.*)$/.exec(sampler) ?? []
  const rate = { always_on: 1, always_off: 0 }[rule] ?? samplerRatio
  return (parent) => {
    if (parent === undefined) return Math.random() < rate
    return ofParent === undefined ? shareOf(parent.traceId) < rate : parent.isSampled
  }
}

/** The same number from 0 to 1 in every service that sees the trace. */
const shareOf = (traceId: string): number => Number.parseInt(traceId.slice(-13), 16) / 2 ** 52
