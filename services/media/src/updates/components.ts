import { z } from 'zod'
import { isNewer } from './compare-versions.ts'
import type { Updates } from './schema.ts'

/** What has a version: the service, and what it works with. */
export type ComponentName = keyof Updates['components']

/** Where the newest version of a component is told. */
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

/** Every component's source; the application is asked for only when the repository that publishes it is known. */
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
