export { hooks } from "../../.pnpmfile.mjs"
