// The time of day is read once, and goes on by the monotonic clock.
const start = Date.now() - performance.now()
Date.now = () => Math.floor(start + performance.now())
