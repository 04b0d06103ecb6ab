import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { replacePassword, startBrowser, startNewService, submitSignIn, type NewService } from '@hearth/testing'
import type { Page } from 'playwright-core'

/** The password of the administrator after the first sign-in. */
export const password = 'tall-giraffe-on-ice-7'

/** Starts a service as a person would, with an inverter that it simulates. */
export const startTrial = (): Promise<NewService> => startNewService('inverter', { HEARTH_UP: '1' })

/** An inverter of its own process, as `hearth inverter simulate` runs it with these further arguments. */
export async function startInverter(
  args: readonly string[] = [],
): Promise<AsyncDisposable & { port: number; pricesUrl: string }> {
  const commandLine = join(import.meta.dirname, '../../../cli/hearth.mjs')
  const child = spawn(process.execPath, [commandLine, 'inverter', 'simulate', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // As an iterator: two lines may come at once.
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => String((await lines.next()).value)
  const line = await next()
  const second = args.includes('--prices-port') ? await next() : ''
  return {
    port: Number(/:(\d+)$/.exec(line)?.[1]),
    pricesUrl: /http:\S+/.exec(second)?.[0] ?? '',
    async [Symbol.asyncDispose]() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

/** Signs in for the first time: with the generated password, which `password` replaces. */
export async function firstSignIn({ service, firstPassword }: NewService, page: Page): Promise<void> {
  await page.goto(service.url)
  await submitSignIn(page, 'admin', firstPassword)
  await replacePassword(page, firstPassword, password)
}

/** A signed-in administrator's browser beside a service with a simulated inverter. */
export async function openTrial(): Promise<AsyncDisposable & { fixture: NewService; page: Page }> {
  await using cleanup = new AsyncDisposableStack()
  const fixture = cleanup.use(await startTrial())
  const { page } = cleanup.use(await startBrowser())
  await firstSignIn(fixture, page)
  const resources = cleanup.move()
  return { fixture, page, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
