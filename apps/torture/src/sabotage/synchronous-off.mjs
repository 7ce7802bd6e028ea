// Syncs nothing.
import { setSynchronous } from "./pragma.mjs"

setSynchronous("OFF")
