import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@hearth/testing'
import { main, type TestGateway } from './in-process.ts'

/** The plan of device `main` as the API has it. */
export interface PlanReply {
  readonly status: {
    readonly state: string
    readonly missing: readonly string[]
    readonly carrying: string
    readonly carrying_detail: string | null
    readonly price_error: string | null
    readonly forecast_error: string | null
    readonly paused_until: string | null
  }
  readonly plan: {
    readonly expected_cost: number
    readonly expected_cost_without: number
    readonly blocks: readonly {
      readonly start: string
      readonly end: string
      readonly action: string
      readonly reason: string
      readonly is_by_hand: boolean
    }[]
    readonly steps: readonly { readonly start: string; readonly buy: number; readonly soc_percent: number }[]
  } | null
  readonly choices: readonly unknown[]
  readonly days: readonly { readonly date: string; readonly cost: number }[]
}

/** Changes settings of the plans; the rest stays as it is. */
export async function configurePlans(gateway: TestGateway, changes: Record<string, unknown>): Promise<void> {
  const { settings } = (await gateway.operate('GET', '/admin/api/plan')) as { settings: Record<string, unknown> }
  const { has_key: _key, ...values } = settings
  await gateway.operate('PUT', '/admin/api/plan', { ...values, capacity_wh: 9600, ...changes })
}

/** Reads the plan with the read token. */
export async function readPlan(gateway: TestGateway): Promise<PlanReply> {
  const reply = await gateway.send('GET', main('/plan'), { token: gateway.tokens.read })
  if (reply.status !== 200) throw new Error(reply.text)
  return JSON.parse(reply.text) as PlanReply
}

/** Waits for a plan in a state. */
export const planWhen = (
  gateway: TestGateway,
  isRight: (plan: PlanReply) => boolean,
  what: string,
): Promise<PlanReply> => eventually(() => readPlan(gateway), isRight, { what, seconds: 60, everyMs: 200 })

/** Writes a file of prices for the hours from now on, by their number. */
export const writePrices = (gateway: TestGateway, hours: number, price: (hour: number) => number): void =>
  writeHours(gateway, { name: 'prices.csv', hours, value: price })

/** Writes a file with a value for each of the hours from now on. */
export function writeHours(
  gateway: TestGateway,
  { name, hours, value }: { name: string; hours: number; value: (hour: number) => number },
): void {
  const begin = Math.floor(gateway.timers.now() / 3_600_000) * 3_600_000
  const lines = Array.from(
    { length: hours },
    (_, hour) => `${new Date(begin + hour * 3_600_000).toISOString()},${value(hour)}`,
  )
  mkdirSync(join(gateway.folder, 'plans'), { recursive: true })
  writeFileSync(join(gateway.folder, 'plans', name), `start,value\n${lines.join('\n')}\n`)
}
