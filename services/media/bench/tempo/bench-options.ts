/** Options of `npm run bench -- media/analysis`, from the environment. */
export interface BenchOptions {
  /** `ANALYSIS_SET`: the pieces that were set aside, or those of the design set, to try changes with. */
  readonly set: 'set aside' | 'design'
  /** `ANALYSIS_EVERY`: of so many pieces one is measured; 1 where not given. */
  readonly every: number
  /** `ANALYSIS_BROWSER=on`: two libraries for browsers are measured too, which takes half as long again. */
  readonly withBrowser: boolean
  /** `TEMPO_PIECES`: folder in which rendered pieces stay for the next run. */
  readonly folder: string | undefined
}

/** Reads the options; throws for values that are none. */
export function readBenchOptions(environment: NodeJS.ProcessEnv): BenchOptions {
  const { ANALYSIS_SET, ANALYSIS_EVERY, ANALYSIS_BROWSER, TEMPO_PIECES } = environment
  const set = ANALYSIS_SET ?? 'set aside'
  if (set !== 'set aside' && set !== 'design') throw new Error(`ANALYSIS_SET=${set} is not "design" or "set aside"`)
  const every = Number(ANALYSIS_EVERY ?? 1)
  if (!Number.isInteger(every) || every < 1) throw new Error(`ANALYSIS_EVERY=${ANALYSIS_EVERY} is no whole number`)
  return { set, every, withBrowser: ANALYSIS_BROWSER === 'on', folder: TEMPO_PIECES }
}

/** One of so many of a list, from the first. */
export const everyNth = <Item>(items: readonly Item[], every: number): Item[] =>
  items.filter((_, index) => index % every === 0)
