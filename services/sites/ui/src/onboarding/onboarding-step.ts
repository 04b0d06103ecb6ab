import type { Onboarding } from '../api.ts'

/** The steps of taking a Caddy over, as they are shown. */
export const stepNames = ['Connect', 'Decide', 'Done'] as const

/** Index of the next step in `stepNames`; beyond the last when all is done. */
export function stepPlace({ step }: Pick<Onboarding, 'step'>): number {
  if (step === 'node') return 0
  return step === 'done' ? stepNames.length : 1
}

/** Question before the running configuration is replaced; empty when nothing is lost. */
export function missingAnswers(
  state: Pick<Onboarding, 'is_blank'>,
  given: { mode: string; confirmed: boolean },
): { mode?: string; confirm_exclusive?: string } {
  if (state.is_blank === true) return {}
  return {
    ...(given.mode === '' ? { mode: 'Choose one' } : {}),
    ...(given.confirmed ? {} : { confirm_exclusive: 'Has to be confirmed' }),
  }
}
