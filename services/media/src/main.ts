import { checkListen, listenAt } from '@hearth/http'
import { closeOnSignal, createLog, isEmptyDirectory, type Environment } from '@hearth/runtime'
import { readConfig } from './config.ts'
import { openService, openWorker } from './open-service.ts'

/** Runs the service in the foreground until it is told to stop. Prints one line when it answers. */
export async function serve(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  const log = createLog({ name: 'media', level: config.logLevel })
  const place = { host: config.bindAddress, port: config.bindPort }
  // A start that is refused leaves a fresh directory as it was.
  if (isEmptyDirectory(config.dataDirectory)) await checkListen(place)
  const service = await openService(config, log)
  const url = await listenAt(service.app.http, place).catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  closeOnSignal(service, log)
  const { ytDlp, ffmpeg } = service.app.core.tools
  const [ytDlpVersion, ffmpegVersion] = await Promise.all([ytDlp.version(), ffmpeg.version()])
  if (ytDlpVersion === undefined)
    process.stdout.write('yt-dlp cannot be run: nothing can be downloaded; see hearth doctor\n')
  if (ffmpegVersion === undefined)
    process.stdout.write('ffmpeg cannot be run: nothing can be converted; see hearth doctor\n')
  if (!service.app.core.settings.current().enable_authentication)
    process.stdout.write(
      'Sign-in is off: whoever reaches this address may do everything. Turn it on in the settings.\n',
    )
  process.stdout.write(`listening on ${url}\n`)
}

/** Runs a worker in the foreground: it takes jobs from the database and answers nobody. */
export async function work(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  const log = createLog({ name: 'media-worker', level: config.logLevel })
  closeOnSignal(await openWorker(config, log), log)
  process.stdout.write('working\n')
}
