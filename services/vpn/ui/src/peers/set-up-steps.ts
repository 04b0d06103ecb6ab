/** Systems that the WireGuard app exists for. */
export type System = 'ios' | 'android' | 'windows' | 'macos' | 'linux'

/** Names of the systems, in the order of a choice. */
export const systems: Readonly<Record<System, string>> = {
  ios: 'iPhone or iPad',
  android: 'Android',
  windows: 'Windows',
  macos: 'Mac',
  linux: 'Linux',
}

/** Returns the steps that connect a device with a configuration file. */
export function setUpSteps(system: System, fileName: string): string[] {
  const name = fileName.replace(/\.conf$/, '')
  return {
    ios: [
      'Install WireGuard from the App Store.',
      'Press “Save configuration file” above; it goes to Downloads in the Files app.',
      'In WireGuard tap “+”, then “Create from file or archive”, and choose the file.',
      'Allow the VPN configuration and switch the tunnel on.',
    ],
    android: [
      'Install WireGuard from Google Play or F-Droid.',
      'Press “Save configuration file” above; it goes to Downloads.',
      'In WireGuard tap “+”, then “Import from file or archive”, and choose the file.',
      'Switch the tunnel on and allow the connection.',
    ],
    windows: [
      'Install WireGuard from wireguard.com/install.',
      'Press “Save configuration file” above.',
      'In WireGuard choose “Import tunnel(s) from file” and open the file.',
      'Press “Activate”.',
    ],
    macos: [
      'Install WireGuard from the App Store.',
      'Press “Save configuration file” above.',
      'In WireGuard choose “Import tunnel(s) from file” and open the file.',
      'Allow the VPN configuration and press “Activate”.',
    ],
    linux: [
      'Install wireguard-tools with your package manager.',
      'Press “Save configuration file” above.',
      `Run: sudo install -m 600 ~/Downloads/${fileName} /etc/wireguard/`,
      `Run: sudo wg-quick up ${name}`,
    ],
  }[system]
}

/** Finds the system of a browser; an iPad names itself a Mac, but has a touch screen. */
export function systemOf({ userAgent, maxTouchPoints }: Pick<Navigator, 'userAgent' | 'maxTouchPoints'>): System {
  if (/iPhone|iPad|iPod/.test(userAgent)) return 'ios'
  if (/Android/.test(userAgent)) return 'android'
  if (/Windows/.test(userAgent)) return 'windows'
  if (/Macintosh/.test(userAgent)) return maxTouchPoints > 1 ? 'ios' : 'macos'
  return 'linux'
}
