import { join, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { OperatorError } from '@hearth/runtime/operator-error'
import { findServices, root, type ServiceFolder } from '../../cli/services.ts'
import { startPageServer } from './page-server.ts'
import { SourceProcess } from './source-process.ts'

// `npm run dev -- vpn [--pages PORT]`: runs a service from its sources and serves its pages from theirs. A change of the service
// starts it anew; a change of a page is in the browser at once.

/** Added to the port of a service for that of its pages. */
const pagesAbove = 1000

function chooseService(names: readonly string[]): ServiceFolder {
  const services = findServices()
  const known = services.map(({ name }) => name).join(', ')
  const found = services.find(({ name }) => name === names[0])
  if (found === undefined || names.length > 1)
    throw new OperatorError(`name one service: npm run dev -- ${services[0]?.name}; there are ${known}`)
  return found
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { pages: { type: 'string' } }, allowPositionals: true })
  const service = chooseService(positionals)
  const port = Number(process.env['BIND_PORT'] || service.port)
  await using started = new AsyncDisposableStack()
  const pages = await startPageServer({
    folder: join(service.folder, 'ui'),
    port: Number(values.pages ?? port + pagesAbove),
    service: `http://127.0.0.1:${port}`,
  })
  started.defer(() => pages.close())
  const running = new SourceProcess(service.name)
  started.defer(() => running.close())
  const sources = [join(service.folder, 'src'), join(root, 'kits')]
  pages.watcher.add(sources)
  pages.watcher.on('all', (event, path) => {
    if (event !== 'change' && event !== 'add' && event !== 'unlink') return
    const isPart = sources.some((folder) => path.startsWith(folder + sep)) && !path.startsWith(join(root, 'kits/ui'))
    if (isPart && path.endsWith('.ts') && !path.endsWith('.test.ts')) running.changed()
  })
  process.stdout.write(`pages of ${service.name}: ${pages.resolvedUrls?.local[0] ?? ''}\n`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

try {
  await run()
  process.exit(0)
} catch (error) {
  if (!(error instanceof Error)) throw error
  process.stderr.write(`hearth: ${error.message}\n`)
  process.exit(1)
}
