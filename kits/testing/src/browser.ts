import { subscribe } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** Programs that can drive the pages, best first: the shell draws to no screen and costs an eighth less processor time. */
const candidates = process.env['CHROMIUM_PATH']
  ? [process.env['CHROMIUM_PATH']]
  : ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const executable = candidates.find((path) => existsSync(path))

/** Returns the reason why no browser is available, for a skipped test; false when one is. */
export function browserObstacle(): string | false {
  return executable === undefined && `no browser at ${candidates.join(' or ')}`
}

/** A profile of a real browser, empty at first and gone at the end. */
export interface TestBrowser extends AsyncDisposable {
  readonly context: BrowserContext
  readonly page: Page
  /** Complaints of the pages so far: errors, and what the content security policy stopped. */
  readonly complaints: readonly string[]
}

/**
 * Opens an empty profile, 1280 by 900 pixels and without animations unless the options say otherwise, in a Chromium that
 * reaches nothing by itself. Tests of one file share the program and nothing in it.
 * Closing the profile fails when a page complained and nobody looked.
 */
export async function startBrowser(
  options: BrowserContextOptions & { mayComplain?: boolean } = {},
): Promise<TestBrowser> {
  const { mayComplain = false, ...contextOptions } = options
  const chromium = await sharedChromium.use()
  const context = await chromium.newContext({
    viewport: { width: 1280, height: 900 },
    // What stands on a page in the middle of a transition is neither what was nor what will be.
    reducedMotion: 'reduce',
    ...contextOptions,
  })
  // A page takes its time where other tests have the processor.
  context.setDefaultTimeout(60_000)
  const complaints: string[] = []
  context.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  const page = await context.newPage()
  return {
    context,
    page,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close()
      sharedChromium.leave()
      if (complaints.length > 0 && !mayComplain) throw new Error(`pages complained:\n${complaints.join('\n')}`)
    },
  }
}

/** Time that Chromium waits for the next test where nobody says that there is none, milliseconds. */
const idleLimit = 10_000

/** The Chromium of this process: started for the first who uses it, ended with the last test or when nobody uses it for a while. */
const sharedChromium = {
  running: undefined as Promise<Browser> | undefined,
  users: 0,
  idle: undefined as NodeJS.Timeout | undefined,
  async use(): Promise<Browser> {
    clearTimeout(this.idle)
    this.users += 1
    this.running ??= launch()
    const browser = await this.running
    if (browser.isConnected()) return browser
    // One that crashed fails the test it crashed in, and no other.
    this.running = launch()
    return this.running
  },
  leave(): void {
    this.users -= 1
    if (this.users === 0) this.idle = setTimeout(() => this.end(), idleLimit)
  },
  end(): void {
    clearTimeout(this.idle)
    void this.running?.then((browser) => browser.close())
    this.running = undefined
  },
}

// The process that runs test files says when the last one has ended: a start costs seconds of processor time.
subscribe('hearth:tests-end', () => sharedChromium.end())

async function launch(): Promise<Browser> {
  // Loaded here, because most tests that use this kit open no browser.
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    ...(executable !== undefined && { executablePath: executable }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** Folder of screenshots, which git ignores. */
const pictures = join(import.meta.dirname, '../../../screenshots')

/** Keeps a picture of the whole page as `screenshots/<name>.png` where the variable SCREENSHOTS asks for pictures. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env['SCREENSHOTS']) return
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

let axeSource: Promise<string> | undefined

/** What axe is asked: all of its rules, or those about colours. */
const axeOptions = {
  everything: {},
  colours: { runOnly: ['color-contrast', 'link-in-text-block'] },
}

/** Fails with a readable list when axe finds anything wrong on the page as it stands, or with its colours. */
export async function assertAccessible(page: Page, about: keyof typeof axeOptions = 'everything'): Promise<void> {
  axeSource ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // Through the debugger, not as a script element: the page's own content policy stays in force. Once per document.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(await axeSource)
  // Without reading style sheets into elements of its own, which the policy would stop and complain about; what is in order
  // is not described element by element.
  const options = JSON.stringify({ preload: false, resultTypes: ['violations'], ...axeOptions[about] })
  const violations = (await page.evaluate(`axe.run(${options})`)) as {
    violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[]
  }
  const found = violations.violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `    ${node.html}\n    ${node.failureSummary}`).join('\n')}`,
  )
  if (found.length > 0) throw new Error(`not accessible at ${page.url()}:\n${found.join('\n')}`)
}
