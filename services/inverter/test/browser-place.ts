import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { eventually, startBrowser, startServiceProcess, temporaryDirectory, type ServiceProcess } from '@hearth/testing'
import type { Page } from 'playwright-core'

/** The password of the administrator after the first sign-in. */
export const password = 'tall-giraffe-on-ice-7'

/** A running service, and what a test needs to know of it. */
export type Place = AsyncDisposable & {
  service: ServiceProcess
  folder: string
  firstPassword: string
}

/** A service as a person would start it, with the password of its first start; `trial` gives it a simulated inverter. */
export async function startPlace({ trial }: { trial: boolean }): Promise<Place> {
  const folder = await temporaryDirectory('pages')
  const service = await startServiceProcess('inverter', {
    DATA_DIR: folder.path,
    ...(trial ? { HEARTH_UP: '1' } : {}),
  })
  const firstPassword = (await readFile(join(folder.path, 'initial-admin-password'), 'utf8')).trim()
  return {
    service,
    folder: folder.path,
    firstPassword,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** An inverter of its own process, as `hearth inverter simulate` runs it with these further arguments. */
export async function startInverter(args: readonly string[] = []): Promise<AsyncDisposable & { port: number }> {
  const commandLine = join(import.meta.dirname, '../../../cli/hearth.mjs')
  const child = spawn(process.execPath, [commandLine, 'inverter', 'simulate', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    port: Number(/:(\d+)$/.exec(line)?.[1]),
    async [Symbol.asyncDispose]() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

/** Fills and sends the sign-in form. */
export async function signIn(page: Page, secret: string): Promise<void> {
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in for the first time: with the generated password, and with one of the person's own from then on. */
export async function firstSignIn(place: Place, page: Page): Promise<void> {
  await page.goto(place.service.url)
  await signIn(page, place.firstPassword)
  await page.getByLabel('Current password').fill(place.firstPassword)
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('New password again').fill(password)
  await page.locator('button[type=submit]').click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** A signed-in administrator's browser beside a service with a simulated inverter. */
export async function openTrial(): Promise<AsyncDisposable & { place: Place; page: Page }> {
  await using cleanup = new AsyncDisposableStack()
  const place = cleanup.use(await startPlace({ trial: true }))
  const { page } = cleanup.use(await startBrowser({ viewport: { width: 1280, height: 900 } }))
  await firstSignIn(place, page)
  const resources = cleanup.move()
  return { place, page, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Waits until nothing on the page is being loaded any more. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await eventually(
    () => page.locator('[aria-busy=true], [aria-label=Loading]').count(),
    (count) => count === 0,
    { what: 'loaded content' },
  )
}
