import { closeOnSignal, createLog, type Environment } from '@hearth/runtime'
import { runService } from '@hearth/service'
import { readCheckedConfig } from './config.ts'

/** Loads the service once its settings are known to be right: a start that is refused is refused at once. */
const loadService = () => import('./open-service.ts')

/** Runs the service in the foreground until it is stopped. */
export async function serve(environment: Environment): Promise<void> {
  const config = readCheckedConfig(environment)
  await runService({
    name: 'media',
    config,
    open: async (log) => (await loadService()).openService(config, log),
    async announce({ app: { core } }) {
      const [ytDlp, ffmpeg] = await Promise.all([core.tools.ytDlp.version(), core.tools.ffmpeg.version()])
      const warnings = [
        [ytDlp === undefined, 'yt-dlp cannot be run: nothing can be downloaded; see hearth doctor'],
        [ffmpeg === undefined, 'ffmpeg cannot be run: nothing can be converted; see hearth doctor'],
        [
          !core.settings.current().enable_authentication,
          'Sign-in is off: whoever reaches this address may do everything. Turn it on in the settings.',
        ],
      ] as const
      return warnings.flatMap(([applies, text]) => (applies ? [text] : []))
    },
  })
}

/** Runs a worker in the foreground: it runs jobs of the database and serves no requests. */
export async function work(environment: Environment): Promise<void> {
  const config = readCheckedConfig(environment)
  const log = createLog({ name: 'media-worker', level: config.logLevel })
  const { openWorker } = await loadService()
  closeOnSignal(await openWorker(config, log), log)
  process.stdout.write('working\n')
}
