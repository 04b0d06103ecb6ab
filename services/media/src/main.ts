import { closeOnSignal, createLog, type Environment } from '@hearth/runtime'
import { runService } from '@hearth/service'
import { readConfig } from './config.ts'
import { openService, openWorker } from './open-service.ts'

/** Runs the service in the foreground until it is told to stop. */
export async function serve(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  await runService({
    name: 'media',
    config,
    open: (log) => openService(config, log),
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

/** Runs a worker in the foreground: it takes jobs from the database and answers nobody. */
export async function work(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  const log = createLog({ name: 'media-worker', level: config.logLevel })
  closeOnSignal(await openWorker(config, log), log)
  process.stdout.write('working\n')
}
