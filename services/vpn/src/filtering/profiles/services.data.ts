/**
 * Services that a profile can switch off as a whole: the names that their apps and pages cannot do without, each with everything
 * below it.
 *
 * Source: https://github.com/v2fly/domain-list-community (MIT), the file `data/<source>` at c975ccef9c19 of 19 August 2026.
 * Taken from it are the names in use; misspelt and parked ones are left out, and so are names that other services share.
 */

/** A service. */
export interface FilteredService {
  /** Stands for it in the log, 1 to 255; never given to another. */
  readonly number: number
  readonly id: string
  readonly name: string
  readonly category: 'social' | 'messages' | 'video' | 'music' | 'games' | 'assistants'
  /** Files of the source. */
  readonly source: string
  readonly names: readonly string[]
}

const service = (
  number: number,
  [id, name, category]: readonly [string, string, FilteredService['category']],
  names: string,
  source = id,
): FilteredService => ({ number, id, name, category, source, names: names.split(' ') })

export const filteredServices: readonly FilteredService[] = [
  service(
    1,
    ['facebook', 'Facebook', 'social'],
    'facebook.com facebook.net fb.com fb.me fb.watch fbcdn.net fbsbx.com facebook-hardware.com messenger.com m.me',
    'facebook, messenger',
  ),
  service(2, ['instagram', 'Instagram', 'social'], 'instagram.com cdninstagram.com ig.me igcdn.com'),
  service(3, ['threads', 'Threads', 'social'], 'threads.com threads.net'),
  service(
    4,
    ['tiktok', 'TikTok', 'social'],
    'tiktok.com tiktokcdn.com tiktokcdn-eu.com tiktokcdn-us.com tiktokv.com tiktokv.eu tiktokv.us tiktokw.eu tiktokw.us tiktokd.net tiktokd.org tiktok-row.net tiktokrow-cdn.com ttwstatic.com ttlivecdn.com ttcdn-us.com muscdn.com musical.ly tik-tokapi.com',
  ),
  service(
    5,
    ['snapchat', 'Snapchat', 'social'],
    'snapchat.com snap.com snapkit.co sc-cdn.net sc-gw.com sc-static.net',
    'snap',
  ),
  service(
    6,
    ['x', 'X (Twitter)', 'social'],
    'x.com twitter.com twimg.com t.co twttr.com twttr.net twitter.map.fastly.net tweetdeck.com periscope.tv pscp.tv',
    'twitter',
  ),
  service(
    7,
    ['reddit', 'Reddit', 'social'],
    'reddit.com redd.it redditmedia.com redditstatic.com redditspace.com reddit.map.fastly.net reddit.app.link',
  ),
  service(
    8,
    ['pinterest', 'Pinterest', 'social'],
    'pinterest.com pinterest.co.uk pinterest.de pinterest.fr pinterest.es pinterest.it pinterest.jp pinimg.com pin.it',
  ),
  service(9, ['linkedin', 'LinkedIn', 'social'], 'linkedin.com licdn.com lnkd.in'),
  service(10, ['bluesky', 'Bluesky', 'social'], 'bsky.app bsky.network bsky.social'),
  service(11, ['tumblr', 'Tumblr', 'social'], 'tumblr.com'),
  service(20, ['whatsapp', 'WhatsApp', 'messages'], 'whatsapp.com whatsapp.net wa.me'),
  service(
    21,
    ['telegram', 'Telegram', 'messages'],
    'telegram.org telegram.me telegram.dog t.me tdesktop.com cdn-telegram.org telegram-cdn.org telegra.ph telesco.pe tx.me',
  ),
  service(
    22,
    ['signal', 'Signal', 'messages'],
    'signal.org signal.art signal.group signal.me signal.link whispersystems.org',
  ),
  service(
    23,
    ['discord', 'Discord', 'messages'],
    'discord.com discord.gg discordapp.com discordapp.net discord.media discord.co discord.dev discord.gift discordcdn.com discordsays.com dis.gd',
  ),
  service(24, ['viber', 'Viber', 'messages'], 'viber.com viber.co viber.me vbcdn.com vbcdn.net'),
  service(
    25,
    ['line', 'LINE', 'messages'],
    'line.me line.biz lin.ee line-apps.com line-cdn.net line-scdn.net line.naver.jp',
  ),
  service(
    40,
    ['youtube', 'YouTube', 'video'],
    'youtube.com youtu.be youtube-nocookie.com youtubei.googleapis.com youtube.googleapis.com youtubekids.com googlevideo.com ytimg.com ggpht.com youtube-ui.l.google.com wide-youtube.l.google.com',
  ),
  service(
    41,
    ['netflix', 'Netflix', 'video'],
    'netflix.com netflix.net netflix.ca nflxext.com nflximg.com nflximg.net nflxso.net nflxvideo.net nflxsearch.net',
  ),
  service(42, ['disney-plus', 'Disney+', 'video'], 'disneyplus.com disney-plus.net bamgrid.com bamtech.net', 'disney'),
  service(
    43,
    ['prime-video', 'Prime Video', 'video'],
    'primevideo.com prime-video.com amazonvideo.com aiv-cdn.net primevideo.tv',
    'primevideo',
  ),
  service(
    44,
    ['hbo-max', 'HBO Max', 'video'],
    'max.com hbomax.com hbomaxcdn.com hbomax.eu discomax.com maxgo.com hbo.com',
    'hbo',
  ),
  service(45, ['hulu', 'Hulu', 'video'], 'hulu.com huluim.com hulu.jp hulu.tv'),
  service(
    46,
    ['dazn', 'DAZN', 'video'],
    'dazn.com dazn-api.com dazndn.com daznfeeds.com daznplayer.com daznservices.com indazn.com',
  ),
  service(
    47,
    ['twitch', 'Twitch', 'video'],
    'twitch.tv ttvnw.net jtvnw.net twitchcdn.net twitchsvc.net ext-twitch.tv live-video.net',
  ),
  service(48, ['vimeo', 'Vimeo', 'video'], 'vimeo.com vimeocdn.com vhx.tv vimeoondemand.com livestream.com'),
  service(49, ['dailymotion', 'Dailymotion', 'video'], 'dailymotion.com dmcdn.net dm-event.net'),
  service(
    60,
    ['spotify', 'Spotify', 'music'],
    'spotify.com spotifycdn.com spotifycdn.net scdn.co pscdn.co spoti.fi spotify.link spotify.map.fastly.net spotify.map.fastlylb.net',
  ),
  service(61, ['deezer', 'Deezer', 'music'], 'deezer.com dzcdn.net'),
  service(62, ['soundcloud', 'SoundCloud', 'music'], 'soundcloud.com sndcdn.com soundcloud.cloud'),
  service(80, ['roblox', 'Roblox', 'games'], 'roblox.com rbxcdn.com rbx.com rbxinfra.net rbxtrk.com rbxlabs.com'),
  service(
    81,
    ['minecraft', 'Minecraft', 'games'],
    'minecraft.net minecraftservices.com minecraft-services.net mojang.com',
    'mojang',
  ),
  service(
    82,
    ['fortnite', 'Epic Games and Fortnite', 'games'],
    'epicgames.com epicgames.dev epicgamescdn.com fortnite.com easyanticheat.net easy.ac eac-cdn.com egdownload.fastly-edge.com fortnite-vod.akamaized.net',
    'epicgames',
  ),
  service(
    83,
    ['steam', 'Steam', 'games'],
    'steampowered.com steamcommunity.com steamcontent.com steamstatic.com steamgames.com steamserver.net steamusercontent.com steam-chat.com steam-api.com steamdeck.com s.team',
  ),
  service(
    84,
    ['riot', 'Riot Games', 'games'],
    'riotgames.com riotgames.net riotcdn.net riot.com riot.net rgpub.io leagueoflegends.com playvalorant.com',
  ),
  service(
    85,
    ['ea', 'Electronic Arts', 'games'],
    'ea.com eaplay.com easports.com eaaccess.com eamobile.com origin.com',
  ),
  service(86, ['ubisoft', 'Ubisoft', 'games'], 'ubisoft.com ubi.com uplay.com ubisoftconnect.com'),
  service(
    87,
    ['blizzard', 'Blizzard', 'games'],
    'blizzard.com battle.net worldofwarcraft.com playoverwatch.com diablo4.com starcraft2.com playhearthstone.com',
  ),
  service(88, ['playstation', 'PlayStation', 'games'], 'playstation.com playstation.net sonyentertainmentnetwork.com'),
  service(
    89,
    ['xbox', 'Xbox', 'games'],
    'xbox.com xboxlive.com xboxservices.com xboxgamepass.com gamepass.com xbox.co',
  ),
  service(
    90,
    ['nintendo', 'Nintendo', 'games'],
    'nintendo.com nintendo.net nintendo.co.jp nintendo-europe.com nintendo.eu nintendo.de nintendo.fr nintendo.co.uk',
  ),
  service(
    100,
    ['chatgpt', 'ChatGPT', 'assistants'],
    'chatgpt.com chat.com openai.com oaistatic.com oaiusercontent.com sora.com',
    'openai',
  ),
]

const byId = new Map(filteredServices.map((one) => [one.id, one]))

/** The service with this id. */
export const serviceWith = (id: string): FilteredService | undefined => byId.get(id)
