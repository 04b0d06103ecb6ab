import type { Core } from './core.ts'
import type { Mp3s } from './delivery/mp3.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Features } from './routes.ts'
import { createLinkBase } from './shares/link-base.ts'
import { createShareTokens } from './shares/share-tokens.ts'
import { Shares } from './shares/shares.ts'
import { createStatistics } from './statistics/statistics.ts'
import { createStemFetch } from './stems/guarded-stem-fetch.ts'
import { createStemClient } from './stems/stem-client.ts'
import { openStems } from './stems/stems.ts'
import { Trims } from './trims/trims.ts'
import { createWaveforms } from './waveform/waveform.ts'

/** What is made of finished jobs, and what is counted of them. */
export type FileFeatures = Pick<Features, 'trims' | 'waveformOf' | 'stems' | 'shares' | 'linkBase' | 'statistics'>

/** Opens the features that work on finished files; they are closed before the core. */
export async function openFileFeatures(
  core: Core,
  { jobs, mp3s, shareKey }: { readonly jobs: Jobs; readonly mp3s: Mp3s; readonly shareKey: Uint8Array },
): Promise<FileFeatures & { close(): Promise<void> }> {
  const { config, timers } = core
  const shared = {
    ...core,
    jobs,
    mp3s,
    db: core.database.query,
    clock: timers,
    ffmpeg: core.tools.ffmpeg,
    slots: core.heavy,
    folder: core.scratch,
    keeper: core.settings,
    settings: () => core.settings.current(),
  }
  const trims = new Trims(shared)
  const outbound = createStemFetch({ baseUrl: config.stemServiceUrl, allow: config.outboundAllow })
  const client = createStemClient({ baseUrl: config.stemServiceUrl, fetch: outbound.fetch, timers })
  const stems = await openStems({ ...shared, trims, client })
  return {
    trims,
    stems,
    waveformOf: createWaveforms(shared),
    shares: new Shares({ ...shared, tokens: createShareTokens(shareKey) }),
    linkBase: createLinkBase({
      publicHostname: () => core.settings.current().public_hostname,
      publicUrl: config.publicUrl,
    }),
    statistics: createStatistics({ ...shared, settings: core.settings }),
    async close() {
      await stems.close()
      await outbound.close()
    },
  }
}
