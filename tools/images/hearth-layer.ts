import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { knownServices } from '@hearth/service'
import { writeText } from '../release/debian-package.ts'
import type { Architecture } from '../release/node-program.ts'
import { stageRuntime } from '../release/runtime-package.ts'
import { stageService } from '../release/service-package.ts'
import { entryProgram, healthProgram } from './image-config.ts'
import type { ImageContents } from './image-contents.ts'

/** Puts together in `folder` the layer of Hearth itself: what the Debian packages install, and what only containers have. */
export async function stageHearth(
  folder: string,
  { contents, base }: { contents: ImageContents; base: string },
  about: { version: string; architecture: Architecture },
): Promise<void> {
  const { service, capabilities } = contents
  await stageRuntime(folder, about.version, about.architecture)
  stageService(folder, service, about)
  // Containers have their settings from the environment and no systemd.
  for (const path of ['etc', 'usr/lib/systemd']) rmSync(join(folder, path), { recursive: true })
  writeText(join(folder, healthProgram), healthText(contents))
  writeText(join(folder, entryProgram), entryText(contents), 0o755)
  if (capabilities.length > 0) addSetpriv(folder, base, capabilities)
  const data = join(folder, `var/lib/hearth/${service.name}`)
  mkdirSync(data, { recursive: true })
  chmodSync(data, 0o700)
  chownSync(data, service.port, service.port)
}

/** A program that ends with 0 when the service answers, and with 1 otherwise. */
function healthText({ service: { name, port } }: ImageContents): string {
  const path = knownServices.find((known) => known.name === name)?.health
  if (path === undefined) throw new Error(`no health answer is known of ${name}`)
  return `const { BIND_ADDRESS: address = '127.0.0.1', BIND_PORT: port = '${port}' } = process.env
const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address] ?? (address.includes(':') ? \`[\${address}]\` : address)
const answer = await fetch(\`http://\${host}:\${port}${path}\`, { signal: AbortSignal.timeout(8000) }).catch(() => undefined)
process.exitCode = answer?.ok ? 0 : 1
`
}

/** The program that a container starts. */
function entryText({ service: { name }, capabilities }: ImageContents): string {
  if (capabilities.length === 0) return '#!/bin/sh\nexec /usr/bin/hearth "$@"\n'
  const sets = capabilities.map((capability) => `,+${capability}`).join('')
  const flags = capabilities.map((capability) => `--cap-add ${capability.toUpperCase()}`).join(' ')
  return `#!/bin/sh
# A container's capabilities are not those of a user without root: setpriv, which has them by its file, hands them on.
give="${setprivPath} --inh-caps=-all${sets} --ambient-caps=-all${sets}"
if [ "$1 $2" = "${name} serve" ]; then
  if $give /bin/sh -c : 2>/dev/null; then exec $give /usr/bin/hearth "$@"; fi
  echo 'hearth: the container lacks capabilities, so tunnels are simulated. For real ones start it with ${flags} --device /dev/net/tun' >&2
fi
exec /usr/bin/hearth "$@"
`
}

const setprivPath = '/usr/lib/hearth/bin/setpriv'

function addSetpriv(folder: string, base: string, capabilities: readonly string[]): void {
  const file = join(folder, setprivPath)
  copyFileSync(join(base, 'usr/bin/setpriv'), file)
  const names = capabilities.map((name) => `cap_${name}`).join(',')
  const result = spawnSync('setcap', [`${names}=ep`, file], { encoding: 'utf8' })
  if (result.status !== 0)
    throw new Error(`setcap (Debian package libcap2-bin): ${result.error?.message ?? result.stderr}`)
}
