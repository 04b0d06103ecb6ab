import type { Platform } from './schema.ts'

/** Target of a platform's URL: a photo post, or a video. */
export type Shape =
  | 'photo'
  | {
      /** The same for all addresses of the media. */
      readonly id: string
      /** The one address it is fetched by. */
      readonly url: string
      /** The address only redirects to that of the media. */
      readonly isShortLink: boolean
    }

type ReadShape = (url: URL, path: string) => Shape | undefined

/**
 * Reads the target of a URL on the platform's own hosts; undefined when it is not a single video. Query parameters that do not
 * name the media are dropped: they belong to the person who shared the URL.
 */
export function shapeOf(platform: Platform, url: URL): Shape | undefined {
  return readers[platform](url, url.pathname.replace(/\/$/, ''))
}

const readers: Readonly<Record<Platform, ReadShape>> = { youtube, tiktok, instagram, facebook }

/** Words with the length of an id that are none. */
const notVideos = new Set(['videoseries', 'live_stream'])

function youtube(url: URL, path: string): Shape | undefined {
  const candidate =
    url.hostname === 'youtu.be'
      ? path.slice(1)
      : path === '/watch'
        ? onlyParameter(url, 'v')
        : /^\/(?:shorts|embed|v|live)\/([^/]+)$/.exec(path)?.[1]
  const id = /^[\w-]{11}$/.exec(candidate ?? '')?.[0]
  if (id === undefined || notVideos.has(id)) return undefined
  return media(id, `https://www.youtube.com/watch?v=${id}`)
}

function tiktok({ hostname }: URL, path: string): Shape | undefined {
  if (hostname === 'vm.tiktok.com' || hostname === 'vt.tiktok.com') {
    const code = /^\/([\w-]{4,32})$/.exec(path)?.[1]
    return code === undefined ? undefined : shortLink(`${hostname}/${code}`)
  }
  const code = /^\/t\/([\w-]{4,32})$/.exec(path)?.[1]
  if (code !== undefined) return shortLink(`www.tiktok.com/t/${code}`)
  if (/^\/@[\w.-]{1,24}\/photo\/\d{8,24}$/.test(path)) return 'photo'
  const [, user, id] =
    /^\/@([\w.-]{1,24})\/video\/(\d{8,24})$/.exec(path) ??
    /^\/(?:embed(?:\/v\d)?|share\/video)(\/)(\d{8,24})$/.exec(path) ??
    []
  if (id === undefined) return undefined
  // The platform itself goes by the number alone and takes any name in front of it.
  return media(id, `https://www.tiktok.com/@${user === '/' ? '_' : user}/video/${id}`)
}

function instagram(_url: URL, path: string): Shape | undefined {
  if (/^\/share(?:\/(?:p|reel|tv))?\/[\w-]{5,64}$/.test(path)) return shortLink(`www.instagram.com${path}`)
  const [, user, kind, code] = /^(?:\/([\w.]{1,30}))?\/(p|reels?|tv)\/([\w-]{5,64})$/.exec(path) ?? []
  if (kind === undefined || code === undefined || code === 'audio' || notUsers.has(user ?? '')) return undefined
  return media(code, `https://www.instagram.com/${kind === 'reels' ? 'reel' : kind}/${code}/`)
}

/** First parts of paths on Instagram that are no user names. */
const notUsers = new Set(['p', 'reel', 'reels', 'tv', 'share', 'stories', 'explore', 'accounts', 'direct'])

function facebook(url: URL, path: string): Shape | undefined {
  const host = url.hostname.replace(/^www\./, '')
  if (host === 'fb.watch' || host === 'fb.gg')
    return /^(?:\/v)?\/[\w-]{4,64}$/.test(path) ? shortLink(`${host}${path}`) : undefined
  if (/^\/share\/[vr]\/[\w-]{4,64}$/.test(path)) return shortLink(`www.facebook.com${path}`)
  return ofFacebookQuery(url, path) ?? ofFacebookPath(path)
}

function ofFacebookQuery(url: URL, path: string): Shape | undefined {
  if (path === '/watch' || path === '/video.php') {
    const id = digits(onlyParameter(url, 'v'))
    return id === undefined ? undefined : media(id, `https://www.facebook.com/watch/?v=${id}`)
  }
  if (path !== '/story.php' && path !== '/permalink.php') return undefined
  const id = /^(?:\d{6,32}|pfbid\w{6,128})$/.exec(onlyParameter(url, 'story_fbid') ?? '')?.[0]
  const page = digits(onlyParameter(url, 'id'))
  if (id === undefined || page === undefined) return undefined
  return media(id, `https://www.facebook.com${path}?story_fbid=${id}&id=${page}`)
}

function ofFacebookPath(path: string): Shape | undefined {
  const reel = /^\/reel\/(\d{6,32})$/.exec(path)?.[1]
  if (reel !== undefined) return media(reel, `https://www.facebook.com/reel/${reel}`)
  const [, page, video] = /^\/([\w.%-]{1,128})\/videos\/(?:[^/]{1,256}\/)?(\d{6,32})$/.exec(path) ?? []
  if (video !== undefined) return media(video, `https://www.facebook.com/${page}/videos/${video}/`)
  const [, group, post] = /^\/groups\/([\w.-]{1,128})\/(?:permalink|posts)\/(\d{6,32})$/.exec(path) ?? []
  return post === undefined ? undefined : media(post, `https://www.facebook.com/groups/${group}/posts/${post}/`)
}

function digits(text: string | undefined): string | undefined {
  return /^\d{6,32}$/.exec(text ?? '')?.[0]
}

/** A parameter that occurs once; given twice, two readers of the address could see two different videos. */
function onlyParameter(url: URL, name: string): string | undefined {
  const values = url.searchParams.getAll(name)
  return values.length === 1 ? values[0] : undefined
}

const media = (id: string, url: string): Shape => ({ id, url, isShortLink: false })

const shortLink = (place: string): Shape => ({ id: place, url: `https://${place}/`, isShortLink: true })
