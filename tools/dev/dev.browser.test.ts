import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import {
  browserObstacle,
  eventually,
  freePort,
  replacePassword,
  startBrowser,
  submitSignIn,
  temporaryDirectory,
} from '@hearth/testing'
import { root } from '../../cli/services.ts'

/** Saves a file as it is: who watches it hears of a change. */
async function save(path: string): Promise<void> {
  const now = new Date()
  await utimes(join(root, path), now, now)
}

test(
  'npm run dev serves the pages from their sources and starts the service anew with each change of its own',
  { skip: browserObstacle() },
  async () => {
    await using folder = await temporaryDirectory('dev')
    const [port, pages] = [await freePort(), await freePort()]
    const child = spawn(process.execPath, [join(root, 'tools/dev/dev.ts'), 'inverter', '--pages', String(pages)], {
      env: { PATH: process.env['PATH'], DATA_DIR: folder.path, BIND_PORT: String(port), LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit', { signal: AbortSignal.timeout(25_000) })
    })
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    const starts = () => lines.filter((line) => line.startsWith('listening on')).length
    await eventually(starts, (count) => count === 1, { what: 'a service that listens', seconds: 60 })

    await using browser = await startBrowser({ mayComplain: true })
    const { page } = browser
    const hotUpdates: string[] = []
    page.on('console', (message) => {
      if (message.text().includes('hot updated')) hotUpdates.push(message.text())
    })
    await page.goto(`http://127.0.0.1:${pages}/`)
    const first = (await readFile(join(folder.path, 'initial-admin-password'), 'utf8')).trim()
    await page.getByLabel('User name').waitFor({ timeout: 60_000 })
    await submitSignIn(page, 'admin', first)
    await replacePassword(page, first, 'tall-giraffe-on-ice-7')

    await eventually(
      async () => {
        if (hotUpdates.length === 0) await save('services/inverter/ui/src/dashboard/widget-content.tsx')
        return hotUpdates
      },
      (updates) => updates.some((text) => text.includes('widget-content')),
      { what: 'a changed page in the browser', everyMs: 1000 },
    )

    await save('services/inverter/src/about.ts')
    await eventually(starts, (count) => count === 2, { what: 'a service that began anew', seconds: 60 })
    await page.reload()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  },
)
