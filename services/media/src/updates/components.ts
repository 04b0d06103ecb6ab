import { z } from 'zod'
import type { Updates } from './schema.ts'

/** A component with a version: the service, or a tool of it. */
export type ComponentName = keyof Updates['components']

/** Source of a component's newest version. */
export interface ComponentSource {
  readonly label: string
  /** Page for a person. */
  readonly url: string
  /** Path of the request at the server of releases; undefined when none is sent. */
  readonly path: string | undefined
  /** The version in an answer; throws when there is none. */
  readonly read: (answer: unknown) => string
}

const Release = z.object({ tag_name: z.string().max(64) })
const Tags = z.array(z.object({ ref: z.string() }))

/** The newest release of a repository; its tag is the version, with or without a letter before it. */
function releaseOf(label: string, repository: string): ComponentSource {
  return {
    label,
    url: `https://github.com/${repository}/releases`,
    path: `/repos/${repository}/releases/latest`,
    read: (answer) => versionIn(Release.parse(answer).tag_name),
  }
}

function versionIn(tag: string): string {
  const version = /^[a-z]?(\d[\w.+-]*)$/i.exec(tag)?.[1]
  if (version === undefined) throw new RangeError(`${tag.slice(0, 64)} is no version`)
  return version
}

/** A project that publishes no releases, only tags. */
function newestTag(answer: unknown): string {
  const versions = Tags.parse(answer).flatMap(({ ref }) => /^refs\/tags\/n(\d+(?:\.\d+)+)$/.exec(ref)?.[1] ?? [])
  const newest = versions.reduce((newest, version) => (isNewer(version, newest) ? version : newest), '0')
  if (newest === '0') throw new RangeError('there is no tag with a version')
  return newest
}

/** Every component's source; the application is queried only when the repository that publishes it is known. */
export type ComponentSources = Readonly<Record<ComponentName, ComponentSource>>

/** @param application `OWNER/NAME` of the repository that publishes the application */
export const componentSources = (application: string | undefined): ComponentSources => ({
  app: {
    ...releaseOf('Hearth Media', application ?? ''),
    ...(application === undefined ? { url: '', path: undefined } : {}),
  },
  ytdlp: releaseOf('yt-dlp', 'yt-dlp/yt-dlp'),
  ytdlp_ejs: releaseOf('yt-dlp-ejs', 'yt-dlp/ejs'),
  js_runtime: releaseOf('Node.js', 'nodejs/node'),
  ffmpeg: {
    label: 'FFmpeg',
    url: 'https://ffmpeg.org/download.html',
    path: '/repos/FFmpeg/FFmpeg/git/matching-refs/tags/n',
    read: newestTag,
  },
  wavesurfer: releaseOf('wavesurfer.js', 'katspaugh/wavesurfer.js'),
})

/** Names of all components. */
export const componentNames = Object.keys(componentSources(undefined)) as [ComponentName, ...ComponentName[]]

/**
 * Returns true for a version that comes after another; both by the numbers they begin with (`5.1.9-0+deb12u1` is 5.1.9). False when one of
 * them begins with none, such as a build from between two versions.
 */
export function isNewer(candidate: string, present: string): boolean {
  const [left, right] = [numbersOf(candidate), numbersOf(present)]
  if (left === undefined || right === undefined) return false
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}

function numbersOf(version: string): number[] | undefined {
  return /^\d+(?:\.\d+)*/.exec(version)?.[0].split('.').map(Number)
}
