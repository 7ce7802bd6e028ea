export { default } from "../../scripts/vitest.mjs"
