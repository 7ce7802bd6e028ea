-- One script for every work. Arguments: key, animals, seed, connections, and for each kind of
-- call how often it comes, its method, its path, its body and its Connection header. `{id}` in a path is a random id,
-- `{limit}` a number from 1 to 100.

local calls = {}
local animals, connections, turn, sent = 0, 0, 0, 0

-- Milliseconds in which connections only connect. Node accepts one in each turn of its loop, so
-- that those which come while others are already served wait long and would make up the p99.
local pause = 100

local function format(call)
  local path = call.path
  if call.random then
    path = path:gsub("{id}", tostring(math.random(animals)))
    path = path:gsub("{limit}", tostring(math.random(100)))
  end
  return wrk.format(call.method, path, call.headers, call.body)
end

function init(args)
  animals = tonumber(args[2])
  math.randomseed(tonumber(args[3]))
  connections = tonumber(args[4])
  for i = 5, #args, 5 do
    local call = { method = args[i + 1], path = args[i + 2] }
    call.headers = { ["Authorization"] = "Bearer " .. args[1] }
    if args[i + 4] == "close" then
      call.headers["Connection"] = "close"
    end
    call.random = call.path:find("{", 1, true) ~= nil
    if args[i + 3] ~= "" then
      call.body = args[i + 3]
      call.headers["Content-Type"] = "application/json"
    end
    for _ = 1, tonumber(args[i]) do
      table.insert(calls, call)
    end
  end
  -- Written once where it can be: every microsecond of the generator is one less for the server.
  for _, call in ipairs(calls) do
    if not call.random then
      call.text = format(call)
    end
  end
end

function request()
  turn = turn % #calls + 1
  local call = calls[turn]
  return call.text or format(call)
end

function delay()
  sent = sent + 1
  return sent <= connections and pause or 0
end

function done(summary, latency)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(
    string.format(
      '\n{"requests":%d,"seconds":%f,"failures":%d,"p99Millis":%f}\n',
      summary.requests,
      (summary.duration / 1e3 - pause) / 1e3,
      failures,
      latency:percentile(99) / 1e3
    )
  )
end
