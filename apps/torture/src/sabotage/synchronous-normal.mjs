// Syncs the write-ahead log before checkpoints only.
import { setSynchronous } from "./pragma.mjs"

setSynchronous("NORMAL")
