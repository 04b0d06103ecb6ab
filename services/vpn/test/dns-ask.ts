import { ask } from './dns-client.ts'

// Asks once from wherever it is started, and prints the answer: dns-ask.ts ADDRESS PORT NAME SOURCE TIMEOUT_MS.
const [address = '', port, name = '', source = '', timeoutMs] = process.argv.slice(2)
const answer = await ask(Number(port), { name, address, source, timeoutMs: Number(timeoutMs) })
process.stdout.write(JSON.stringify(answer ?? null))
