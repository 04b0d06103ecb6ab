import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutputReader } from './yt-dlp-output.ts'
import { explainDownload } from './media-failure.ts'
import { ToolFailure } from './tool-failure.ts'
import { downloadArgs, probeArgs, type DownloadOptions } from './yt-dlp-args.ts'

const online = { wasRefused: false, isOffline: false }
const url = 'https://www.youtube.com/watch?v=aaaaaaaaaaa'
const context = { extractors: ['youtube'], proxy: 'http://127.0.0.1:1', cookies: '/run/cookies.txt' }
const download: DownloadOptions = {
  ...context,
  source: { url },
  type: 'video',
  quality: 'small',
  isCompatible: false,
  fragments: 4,
  directory: '/work/a',
  ffmpeg: '/usr/bin/ffmpeg',
  marker: 'mark',
}

test('no run uses configuration, plug-ins, caches, commands or other extractors, and all use the proxy', () => {
  for (const args of [probeArgs(url, context), downloadArgs(download)]) {
    for (const arg of [
      '--ignore-config',
      '--no-plugin-dirs',
      '--no-cache-dir',
      '--no-exec',
      '--no-update',
      '--no-playlist',
    ])
      assert.ok(args.includes(arg), arg)
    assert.ok(args.includes('--use-extractors=youtube') && args.includes('--proxy=http://127.0.0.1:1'))
    assert.deepEqual(args.slice(-2), ['--', url])
    for (const arg of args.slice(0, -1))
      assert.doesNotMatch(arg, /^--(?:exec|netrc|write-link|config-loc|downloader=(?!dash,m3u8:native))/)
  }
})

test('the requested format is selected', () => {
  const has = (more: Partial<DownloadOptions>, part: string) =>
    assert.ok(
      downloadArgs({ ...download, ...more }).some((word) => word.includes(part)),
      part,
    )
  has({ type: 'audio' }, '--extract-audio')
  has({ type: 'audio', quality: 'max' }, '--format=ba/b')
  has({ type: 'audio', quality: 'medium' }, '[abr<=256]')
  has({ type: 'audio', quality: 'small' }, '[abr<=112]')
  has({ quality: 'small' }, 'height<=?480')
  has({ quality: 'medium' }, 'height<=?720')
  has({ quality: 'max', isCompatible: true }, 'vcodec:h264')
  assert.equal(
    downloadArgs({ ...download, quality: 'max' }).some((word) => word.includes('format-sort')),
    false,
  )
  const fromInfo = downloadArgs({ ...download, source: { infoFile: '/work/info.json' } })
  assert.ok(fromInfo.includes('--load-info-json=/work/info.json') && !fromInfo.includes(url))
})

test('progress covers all files of a media, never decreases, and ignores foreign lines', () => {
  const read = createOutputReader('mark', 2)
  const percent = (filename: string, more: object) => {
    const said = read(`mark progress ${JSON.stringify({ status: 'downloading', filename, ...more })}`)
    return said?.kind === 'progress' ? said.progress.percent : undefined
  }
  assert.equal(percent('a', { downloaded_bytes: 50, total_bytes: 100, eta: 3.4 }), 25)
  assert.equal(percent('a', { downloaded_bytes: 20, total_bytes: 100 }), 25)
  assert.equal(percent('a', { status: 'finished' }), 50)
  assert.equal(percent('b', { fragment_index: 5, fragment_count: 10 }), 75)
  assert.equal(percent('b', { status: 'finished' }), 99)
  for (const line of ['progress {}', 'mark progress {', 'mark unknown {}', 'marker progress {}', 'mark file 5', ''])
    assert.equal(read(line), undefined, line)
  assert.deepEqual(read('mark file "/work/a/source.mp4"'), { kind: 'file', path: '/work/a/source.mp4' })
})

test('yt-dlp’s errors become readable reasons, without paths and signed URLs', () => {
  const cases: [string, string][] = [
    ['Sign in to confirm you’re not a bot. Use --cookies', 'bot_check'],
    ['Private video. Sign in if you have been granted access', 'private'],
    ['This content is only available for registered users. Use --cookies to log in', 'login_required'],
    ['The uploader has not made this video available in your country', 'geo_blocked'],
    ['HTTP Error 429: Too Many Requests', 'rate_limited'],
    ['Video unavailable. This video has been removed by the uploader', 'removed'],
    ['Unsupported URL: https://a/b', 'unsupported'],
    ['Unable to extract player; please report this issue', 'tool_outdated'],
    ['unable to write data: [Errno 28] No space left on device', 'disk_full'],
    ['Unable to download webpage: [Errno 111] Connection refused', 'network'],
    ['something else in /data/media/work/x/source.mp4', 'failed'],
  ]
  for (const [text, code] of cases) {
    const output = `WARNING: x\nERROR: [site] ${text}\n`
    const failure = explainDownload(new ToolFailure('exit', { tool: 'yt-dlp', code: 1, output }), online)
    assert.equal(failure.code, code, text)
    assert.doesNotMatch(failure.message, /\/data/)
    assert.ok(failure.message.length <= 300)
  }
  const refused = explainDownload(new ToolFailure('exit', { tool: 'yt-dlp', output: 'HTTP Error 403' }), {
    ...online,
    wasRefused: true,
  })
  assert.equal(refused.code, 'blocked_address')
  assert.equal(explainDownload(new ToolFailure('bytes', { tool: 'yt-dlp' }), online).code, 'too_large')
})

test('a failed connection is the reason rather than yt-dlp’s conclusion; a retried one is not', () => {
  const explain = (output: string) =>
    explainDownload(new ToolFailure('exit', { tool: 'yt-dlp', code: 1, output }), online).code
  const asks = 'ERROR: [youtube] x: Failed to extract any player response; please report this issue on …'
  const failed = (reason: string) => `WARNING: [youtube] Unable to download webpage: ${reason}`
  for (const reason of [
    '[Errno -3] Temporary failure in name resolution (caused by …)',
    "('Unable to connect to proxy', OSError('Tunnel connection failed: 502 No connection'))",
    '[Errno 101] Network is unreachable',
    'The read operation timed out',
  ])
    assert.equal(explain(`${failed(reason)}\n${asks}\n`), 'network', reason)
  assert.equal(
    explain(`WARNING: [youtube] The read operation timed out. Retrying (1/3)...\n${asks}\n`),
    'tool_outdated',
  )
})
