import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import { z } from 'zod'
import type { MediaBus } from '../events.ts'
import { conflict } from '../problems.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { StemAccount, StemStatus } from './schema.ts'
import type { StemClient } from './stem-client.ts'
import { signInProblem } from './stem-problem.ts'
import { StemServiceError } from './stem-service-error.ts'

interface StemAccountDependencies {
  readonly settings: SettingsStore
  readonly sealer: Sealer
  readonly bus: MediaBus
  readonly client: Pick<StemClient, 'minutesLeft'>
  readonly clock: Clock
}

const place = 'settings.value:stem_account'
const Stored = z.object({ email: z.string(), key: z.string() })

/** Lifetime of an answer of the service, and of a missing one, milliseconds. */
const [freshFor, silentFor] = [300_000, 30_000]

/** Result of a check of the key. */
type Verdict = Pick<StemStatus, 'token_valid' | 'validation_error' | 'validated_at' | 'remaining_minutes'>

interface Known {
  /** The sealed account it is about. */
  readonly account: string
  readonly verdict: Promise<Verdict>
  /** On the monotonic clock; infinite while the request runs. */
  until: number
}

/** The account at the stem service: one for all users, its key sealed. */
export class StemAccountStore {
  readonly #dependencies: StemAccountDependencies
  #known: Known | undefined

  constructor(dependencies: StemAccountDependencies) {
    this.#dependencies = dependencies
  }

  current() {
    const sealed = this.#sealed
    return sealed === undefined ? undefined : Stored.parse(JSON.parse(this.#dependencies.sealer.open(sealed, place)))
  }

  /** Returns the service's answer about the key, of the last five minutes or a new one. */
  async status(isForced: boolean): Promise<StemStatus> {
    const [sealed, account] = [this.#sealed, this.current()]
    if (sealed === undefined || account === undefined) return notConfigured
    const verdict = await this.#verdictOn(sealed, account.key, isForced)
    return { ok: true, configured: true, email: account.email, ...verdict }
  }

  /** Stores an account after the service accepted its key; throws a problem. */
  async signIn({ email, activation_key: key }: StemAccount): Promise<void> {
    const { client, sealer, settings, bus } = this.#dependencies
    const before = this.#sealed
    const minutes = await client.minutesLeft(key).catch((error: unknown) => {
      throw signInProblem(error)
    })
    const sealed = sealer.seal(JSON.stringify({ email, key }), place)
    const isReplaced = await settings.exchange('stem_account', { from: before, to: sealed })
    if (!isReplaced) throw conflict('The key was changed while this one was checked; see whether it is still needed')
    this.#known = this.#knowledge(sealed, Promise.resolve(this.#good(minutes)))
    bus.publish({ type: 'settings_changed', job_id: null })
  }

  async signOut(): Promise<void> {
    await this.#dependencies.settings.write({}, { stem_account: null })
    this.#known = undefined
    this.#dependencies.bus.publish({ type: 'settings_changed', job_id: null })
  }

  /** Drops the cached state of the key, which may be outdated. */
  doubt(): void {
    this.#known = undefined
  }

  #verdictOn(sealed: string, key: string, isForced: boolean): Promise<Verdict> {
    const known = this.#known?.account === sealed ? this.#known : undefined
    const isUnderWay = known?.until === Infinity
    const isFresh = known !== undefined && known.until > this.#dependencies.clock.monotonic()
    if (known !== undefined && (isUnderWay || (isFresh && !isForced))) return known.verdict
    this.#known = this.#knowledge(sealed, this.#query(key))
    return this.#known.verdict
  }

  #knowledge(account: string, verdict: Promise<Verdict>): Known {
    const known: Known = { account, verdict, until: Infinity }
    verdict.then(
      ({ token_valid }) => {
        known.until = this.#dependencies.clock.monotonic() + (token_valid === null ? silentFor : freshFor)
        return undefined
      },
      () => (known.until = 0),
    )
    return known
  }

  async #query(key: string): Promise<Verdict> {
    try {
      return this.#good(await this.#dependencies.client.minutesLeft(key))
    } catch (error) {
      if (!(error instanceof StemServiceError)) throw error
      const isRefused = error.kind === 'invalid-key' || error.kind === 'plan'
      return { ...this.#good(null), token_valid: isRefused ? false : null, validation_error: error.message }
    }
  }

  #good(minutes: number | null): Verdict {
    return {
      token_valid: true,
      validation_error: null,
      validated_at: Math.floor(this.#dependencies.clock.now() / 1000),
      remaining_minutes: minutes === null ? null : Math.floor(minutes),
    }
  }

  get #sealed(): string | undefined {
    return this.#dependencies.settings.internal('stem_account')
  }
}

const notConfigured: StemStatus = {
  ok: true,
  configured: false,
  email: null,
  token_valid: null,
  validation_error: null,
  validated_at: null,
  remaining_minutes: null,
}
