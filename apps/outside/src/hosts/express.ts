/** The adoptions in a server of Express. */
import { createServer } from "node:http"
import { Mounting } from "@petstore/http-server"
import * as Adoptions from "adoptions/Adoptions"
import express from "express"
import { layer } from "./layer.ts"

const { dispose, handler } = Mounting.toNodeHandler(Adoptions.at("/shop/v1"), layer)

const app = express().disable("x-powered-by")
app.use("/shop", handler)
// After it: a parser that comes first would have read the body.
app.use(express.json())
app.post("/echo", (request, response) => {
  response.json(request.body)
})

export const host = { server: createServer(app), dispose }
