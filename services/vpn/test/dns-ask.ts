import { ask } from './dns-client.ts'

// Asks once from wherever it is started, and prints the answer: dns-ask.ts ADDRESS PORT NAME [SOURCE].
const [address = '', port, name = '', source] = process.argv.slice(2)
const answer = await ask(Number(port), { name, address, timeoutMs: 700, ...(source === undefined ? {} : { source }) })
process.stdout.write(JSON.stringify(answer ?? null))
