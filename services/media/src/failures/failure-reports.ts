import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { FailedAttempt, FailureRecorder } from '../jobs/failed-attempt.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { notFound } from '../problems.ts'
import type { JobFailureRow, JobRow, Tables } from '../tables.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import type { YtDlp } from '../tools/yt-dlp.ts'
import { redact } from './redact.ts'
import * as store from './store.ts'

const day = 86_400_000
/** How long reports are kept, milliseconds, and how many at most. */
const [keptFor, maxKept] = [30 * day, 1000]
/** Longest output that is kept, characters; the end says most. */
const maxOutput = 8000

interface RecorderDependencies {
  readonly clock: Clock
  /** Its version goes into the report. */
  readonly ytDlp: Pick<YtDlp, 'version'>
}

/** Creates the recorder of failures. What it stores is redacted before. */
export function createFailureRecorder({ clock, ytDlp }: RecorderDependencies): FailureRecorder {
  return {
    async prepare(error) {
      const tool = toolFailureIn(error)
      const facts = {
        tool_version: (await versionOf(ytDlp)) ?? null,
        exit_code: tool?.code ?? null,
        output: redact(tool?.output ?? '').slice(-maxOutput),
      }
      return async (trx: Kysely<Tables>, { job, code, message }: FailedAttempt) => {
        const failure = { job_id: job.id, attempt: job.attempt, failed_at: clock.now(), code, message }
        await store.putFailure(trx, { ...failure, ...facts })
      }
    },
  }
}

/** Undefined for a yt-dlp that cannot be run, or is not there. */
async function versionOf(ytDlp: Pick<YtDlp, 'version'>): Promise<string | undefined> {
  try {
    return await ytDlp.version()
  } catch {
    return undefined
  }
}

/** The failure of a tool that an error comes from. */
function toolFailureIn(error: unknown): ToolFailure | undefined {
  if (error instanceof ToolFailure) return error
  return error instanceof Error && error.cause instanceof ToolFailure ? error.cause : undefined
}

export interface FailureReportDependencies {
  readonly db: Kysely<Tables>
  readonly jobs: Pick<Jobs, 'row'>
  readonly clock: Clock
  /** Version of this service. */
  readonly version: string
}

/** Reports of failed downloads, to read and to pass on. Throws problems of the API. */
export class FailureReports {
  readonly #dependencies: FailureReportDependencies

  constructor(dependencies: FailureReportDependencies) {
    this.#dependencies = dependencies
  }

  /** The report of the last failure of a job, as text. */
  async text(jobId: string): Promise<string> {
    const { db, jobs, version } = this.#dependencies
    const job = await jobs.row(jobId)
    const failure = await store.findFailure(db, job.id)
    if (failure === undefined) throw notFound('report')
    return reportText({ job, failure, version })
  }

  /** Deletes reports that are too many and, with a settled clock, old ones. */
  async tidy(isSettled: boolean): Promise<void> {
    const { db, clock } = this.#dependencies
    await store.deleteOldFailures(db, { before: isSettled ? clock.now() - keptFor : 0, kept: maxKept })
  }
}

interface Reported {
  readonly job: JobRow
  readonly failure: JobFailureRow
  readonly version: string
}

function reportText({ job, failure, version }: Reported): string {
  const facts = {
    'Hearth Media': version,
    'yt-dlp': failure.tool_version ?? 'unknown',
    System: `${process.platform} ${process.arch}, Node ${process.versions.node}`,
    Job: `${job.id}, attempt ${failure.attempt}`,
    // Addresses on hosts that the operator added may hold anything.
    Medium: redact(job.media_key),
    Requested: `${job.type}, ${job.quality}`,
    Failed: new Date(failure.failed_at).toISOString(),
    Reason: failure.code,
    Message: redact(failure.message),
    ...(failure.exit_code === null ? {} : { 'Exit code': String(failure.exit_code) }),
  }
  const lines = Object.entries(facts).map(([name, value]) => `${`${name}:`.padEnd(14)}${value}`)
  const output = failure.output.trim() === '' ? 'nothing' : failure.output.trim()
  return `${lines.join('\n')}\n\nOutput of the tool, without credentials, queries of addresses, IP addresses and paths:\n\n${output}\n`
}
