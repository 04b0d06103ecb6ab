import { globSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../cli/services.ts'

/** `npm run bench -- vpn/peers`: runs one benchmark by hand; without a name lists them. */
const [name, ...rest] = process.argv.slice(2)
const known = new Map(
  globSync(['services/*/bench/*.ts', 'tools/bench/*.ts'], { cwd: root }).map((file) => [
    nameOf(file),
    join(root, file),
  ]),
)
const file = known.get(name ?? '')
if (file === undefined) {
  process.stdout.write(`benchmarks: ${[...known.keys()].sort().join(', ')}\nrun one: npm run bench -- vpn/peers\n`)
  process.exit(name === undefined ? 0 : 1)
}
const child = spawn(process.execPath, [file, ...rest], { stdio: 'inherit' })
child.on('exit', (code) => process.exit(code ?? 1))

/** Benchmarks of a service carry its name: `vpn/peers`. */
function nameOf(file: string): string {
  return file.replace(/^tools\/bench\/|^services\/|\.ts$/g, '').replace('/bench/', '/')
}
