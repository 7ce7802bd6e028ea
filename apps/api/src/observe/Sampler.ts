/** Decides which requests are traced, as OpenTelemetry's samplers do. */
import type { ExternalSpan } from "effect/Tracer"
import type { AppConfig } from "../settings/AppConfig.ts"

/** Whether a trace is exported: by its parent's decision if the sampler asks for it, or by its id. */
export const make = ({ sampler, samplerRatio }: Pick<AppConfig, "sampler" | "samplerRatio">) => {
  const [, ofParent, rule = ""] = /^(parentbased_)?(.*)$/.exec(sampler) ?? []
  const rate = { always_on: 1, always_off: 0 }[rule] ?? samplerRatio
  return (traceId: string, parent: ExternalSpan | undefined): boolean =>
    parent !== undefined && ofParent !== undefined ? parent.sampled : shareOf(traceId) < rate
}

/** From 0 to 1, by the lower 64 bits of the id, as in the SDKs of other languages, so that services agree. */
const shareOf = (traceId: string): number => Number.parseInt(traceId.slice(16, 29), 16) / 2 ** 52
