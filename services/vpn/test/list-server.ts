import { createServer } from 'node:http'
import { once } from 'node:events'

/** Serves block lists on a test host: `/NAME` is the text given for it; `/turning` has another last line at each request. */
const [address = '127.0.0.1', port = '8080', texts = '{}'] = process.argv.slice(2)
const lists = JSON.parse(texts) as Record<string, string>
let turn = 0

const server = createServer((request, response) => {
  const text = lists[(request.url ?? '/').slice(1)]
  response.setHeader('content-type', 'text/plain')
  if (request.url === '/turning') {
    turn += 1
    response.end(
      `always.blocked.example\n${Array.from({ length: 2000 }, (_, n) => `t${turn}-${n}.example`).join('\n')}\n`,
    )
  } else if (text === undefined) response.writeHead(404).end()
  else response.end(text)
})
server.listen(Number(port), address)
await once(server, 'listening')
process.stdout.write('ready\n')
