import { readFileSync } from 'node:fs'
import { OperatorError, parseIsoTime } from '@hearth/runtime'
import { Option, type Command } from 'commander'
import { PlanAction } from '../plans/day-schema.ts'
import { type DevicePlan, type PlanSettingsView } from '../plans/schema.ts'
import { callService } from './call-service.ts'

const path = '/admin/api/plan'

/** Adds the commands of the plans: what is planned, settings, pauses and choices. */
export function addPlanCommands(program: Command): void {
  const plan = program.command('plan').description('a plan for the battery, by prices, sun and habits')
  plan
    .command('show')
    .description('print the parts of the plan, what they save and why')
    .option('--json', 'everything as JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const answer = (await callService({
        method: 'GET',
        path: `/api/v1/devices/${await plannedDevice()}/plan`,
      })) as DevicePlan
      process.stdout.write(json ? `${JSON.stringify(answer, null, 2)}\n` : textOf(answer))
    })
  addSettingCommands(plan)
  addHandCommands(plan)
}

function addSettingCommands(plan: Command): void {
  plan
    .command('settings')
    .description('print the settings as JSON')
    .action(async () => {
      const { settings } = await readView()
      process.stdout.write(`${JSON.stringify(settings, null, 2)}\n`)
    })
  plan
    .command('set <file>')
    .description('take settings from a file in JSON; what it leaves out stays as it was')
    .action(async (file: string) => {
      await change(readJson(file))
      process.stderr.write('the settings are stored\n')
    })
  plan
    .command('on')
    .description('make plans')
    .option('--carry-out', 'carry them out too')
    .action(async ({ carryOut = false }: { carryOut?: boolean }) => {
      await change({ enabled: true, ...(carryOut && { carries_out: true }) })
      process.stderr.write(carryOut ? 'plans are made and carried out\n' : 'plans are made\n')
    })
  plan
    .command('off')
    .description('make no plans and carry none out')
    .action(async () => {
      await change({ enabled: false, carries_out: false })
      process.stderr.write('plans are off\n')
    })
}

function addHandCommands(plan: Command): void {
  const send = async (name: string, method: 'PUT' | 'POST', body?: unknown) =>
    callService({ method, path: `${path}/devices/${await plannedDevice()}/${name}`, body })
  plan
    .command('renew')
    .description('load prices and forecast and make a plan now')
    .action(async () => {
      await send('renew', 'POST')
      process.stderr.write('the plan is new\n')
    })
  plan
    .command('pause <hours>')
    .description('leave the inverter alone for some hours; 0 goes on')
    .action(async (hours: string) => {
      const count = Number(hours)
      if (!(count >= 0 && count <= 720)) throw new OperatorError('HOURS: must be from 0 to 720')
      await send('pause', 'PUT', { until: count === 0 ? null : new Date(Date.now() + count * 3_600_000).toISOString() })
      process.stderr.write(count === 0 ? 'the plan goes on\n' : 'the plan pauses\n')
    })
  plan
    .command('choose')
    .description('set by hand what the plan does at a time; without a time all choices are taken back')
    .option('--from <time>', 'begin, with its offset: 2026-11-27T18:00+01:00')
    .option('--to <time>', 'end')
    .addOption(new Option('--action <action>', 'what it does').choices(PlanAction.options).default('hold'))
    .action(async ({ from, to, action }: { from?: string; to?: string; action: PlanAction }) => {
      const choices =
        from === undefined && to === undefined
          ? []
          : [{ start: timeOf(from, '--from'), end: timeOf(to, '--to'), action }]
      await send('choices', 'PUT', { choices })
      process.stderr.write(choices.length === 0 ? 'nothing is set by hand\n' : 'the choice is part of the plan\n')
    })
}

function timeOf(text: string | undefined, option: string): string {
  const ms = text === undefined ? undefined : parseIsoTime(text)
  if (ms === undefined)
    throw new OperatorError(`${option}: must be a time with its offset, such as 2026-11-27T18:00+01:00`)
  return new Date(ms).toISOString()
}

const readView = async (): Promise<PlanSettingsView> => (await callService({ method: 'GET', path })) as PlanSettingsView

async function plannedDevice(): Promise<string> {
  const { device_id: id } = await readView()
  if (id === null) throw new OperatorError('there is no inverter')
  return encodeURIComponent(id)
}

async function change(changes: Record<string, unknown>): Promise<void> {
  const { settings } = await readView()
  const { has_key: _key, ...values } = settings
  await callService({ method: 'PUT', path, body: { ...values, ...changes } })
}

function readJson(file: string): Record<string, unknown> {
  try {
    const { has_key: _key, ...values } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    return values
  } catch (error) {
    throw new OperatorError(`${file}: cannot be read as JSON: ${(error as Error).message}`, { cause: error })
  }
}

function textOf({ plan, status }: DevicePlan): string {
  if (plan === null) return `${status.state}\n${status.missing.map((text) => `${text}\n`).join('')}`
  const { blocks, currency } = plan
  const lines = blocks.map(
    ({ start, end, action, saving, reason }) => `${start} ${end} ${action} ${saving.toFixed(2)} ${reason}`,
  )
  const costs = `expected ${plan.expected_cost.toFixed(2)} ${currency}, without a plan ${plan.expected_cost_without.toFixed(2)} ${currency}`
  return `${[...lines, costs].join('\n')}\n`
}
