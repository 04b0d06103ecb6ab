import { OperatorError, systemClock } from '@hearth/runtime'
import { openSettings } from '../settings/settings.ts'
import { assessRoom, planView, readUsage } from '../space/assess.ts'
import { bytesText } from '../space/bytes-text.ts'
import { withStorage } from './data.ts'

/** Options of `hearth media space`. */
export interface SpaceOptions {
  readonly preview?: string
  readonly json?: boolean
}

/** Prints what stored files take, as lines or as JSON; with `preview` what would go for a budget, and nothing goes. */
export async function printSpace({ preview, json }: SpaceOptions): Promise<void> {
  const budget = preview === undefined ? undefined : readBytes(preview)
  await withStorage(async ({ database: { query: db } }) => {
    const settings = (await openSettings(db)).current()
    const usage = await readUsage(db, { settings, now: systemClock.now() })
    const rule = settings.storage_rule
    const plan =
      budget === undefined ? undefined : planView(await assessRoom(db, { budget, rule, now: systemClock.now() }))
    if (json === true) print(JSON.stringify({ ...usage, ...(plan && { preview: plan }) }, null, 2))
    else if (plan === undefined) {
      for (const { kind, bytes, files } of usage.kinds) print([kind, bytes, files].join('\t'))
      print(['total', usage.used_bytes, usage.budget_bytes === 0 ? '-' : usage.budget_bytes].join('\t'))
      process.stderr.write(`${bytesText(usage.used_bytes)} stored, ${bytesText(usage.pinned.bytes)} of them pinned\n`)
    } else {
      if (plan.copies.files > 0) print(['copies', plan.copies.bytes, plan.copies.files].join('\t'))
      for (const { job_id: id, bytes, title } of plan.downloads.first) print([id, bytes, title].join('\t'))
      const { count, first } = plan.downloads
      if (count > first.length) process.stderr.write(`and ${count - first.length} more downloads\n`)
      process.stderr.write(
        plan.is_enough || !plan.is_complete
          ? `${bytesText(plan.freed_bytes)} would go; nothing did\n`
          : `${bytesText(plan.freed_bytes)} would go, which is not enough: the rest is pinned, shared or running\n`,
      )
    }
  })
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const factors: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 }

/** Reads a size: bytes, or a number with K, M, G or T. */
export function readBytes(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?)([KMGT]?)$/i.exec(text) ?? []
  const bytes = Math.round(Number(digits) * (factors[unit.toUpperCase()] ?? NaN))
  if (digits === '' || !Number.isSafeInteger(bytes))
    throw new OperatorError(`--preview: ${text} is no number of bytes, such as 5000000, 500M or 20G`)
  return bytes
}
