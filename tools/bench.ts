import { existsSync, globSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../cli/services.ts'

/** `npm run bench -- vpn/peers`: runs one benchmark by hand; without a name lists them. */
const [name, ...rest] = process.argv.slice(2)
const known = globSync('services/*/bench/*.ts', { cwd: root }).map((file) =>
  file.replace(/^services\/(.+)\/bench\/(.+)\.ts$/, '$1/$2'),
)
const [service = '', bench = ''] = (name ?? '').split('/')
const file = join(root, 'services', service, 'bench', `${bench}.ts`)
if (name === undefined || !existsSync(file)) {
  process.stdout.write(
    `benchmarks: ${known.sort().join(', ')}\nrun one: npm run bench -- ${known[0] ?? 'service/name'}\n`,
  )
  process.exit(name === undefined ? 0 : 1)
}
const child = spawn(process.execPath, [file, ...rest], { stdio: 'inherit' })
child.on('exit', (code) => process.exit(code ?? 1))
