import { expect, it, vi } from "@effect/vitest"
import { Counter, Gauge, Histogram, Registry } from "prom-client"
import * as MetricsAggregate from "../src/workers/MetricsAggregate.ts"

it("metrics of workers have the counts of those that have ended, but not their gauges", async () => {
  const aggregate = MetricsAggregate.make()
  const start = () => {
    const registry = new Registry()
    const of = (name: string) => ({ name, help: name, registers: [registry] })
    new Counter(of("requests_total")).inc(2)
    new Gauge(of("connections")).inc()
    new Histogram({ ...of("seconds"), buckets: [] }).observe(3)
    const member = aggregate.add(async () => member.receive(await registry.getMetricsAsJSON()))
    return member
  }
  const samples = async () => (await aggregate.read()).match(/^(?!#|seconds_(?:bucket|count)).+$/gm)
  const restarts = "petstore_worker_restarts_total 0"
  const [first, second] = [start(), start()]
  expect(await samples()).toEqual([
    "requests_total 4",
    "connections 2",
    "seconds_sum 6",
    "petstore_workers 2",
    restarts
  ])
  first.leave()
  expect(await samples()).toEqual([
    "requests_total 4",
    "connections 1",
    "seconds_sum 6",
    "petstore_workers 1",
    restarts
  ])
  second.leave()
  expect(await samples()).toEqual([
    "requests_total 4",
    "seconds_sum 6",
    "petstore_workers 0",
    restarts
  ])
})

const workersIn = (text: string) => /^petstore_workers (\d+)$/m.exec(text)?.[1]

it("metrics wait for a worker that takes a while to answer", async () => {
  const aggregate = MetricsAggregate.make()
  const registry = new Registry()
  new Counter({ name: "requests_total", help: "Requests", registers: [registry] }).inc(2)
  const answer = async () => member.receive(await registry.getMetricsAsJSON())
  const member = aggregate.add(() => setTimeout(answer, 100))
  expect(await aggregate.read()).toMatch(/^requests_total 2$/m)
})

it("metrics have the last counts of a worker that does not answer in time", async () => {
  const aggregate = MetricsAggregate.make()
  const registry = new Registry()
  new Counter({ name: "requests_total", help: "Requests", registers: [registry] }).inc(2)
  const member = aggregate.add(() => {})
  member.receive(await registry.getMetricsAsJSON())
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort())
  const text = aggregate.read()
  timeout.mockRestore()
  expect(await text).toMatch(/^requests_total 2$/m)
})

it("metrics do not wait for a worker that has left", async () => {
  // They would wait for ever.
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal)
  const aggregate = MetricsAggregate.make()
  const member = aggregate.add(() => {})
  const reading = aggregate.read()
  member.leave()
  timeout.mockRestore()
  expect(workersIn(await reading)).toBe("0")
}, 20_000)
