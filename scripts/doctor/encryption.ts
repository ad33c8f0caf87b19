import { findInsecureSettings, INSECURE_SETTINGS, isUnencrypted } from '../../src/config/insecure.ts'
import { advice, type Context, orOk, problem, type Result } from './finding.ts'

/** What ALLOW_INSECURE and its like have allowed. Without them the configuration itself is refused. */
export function checkEncryption({ config }: Context): Result[] {
  const { services, publicUrl } = config
  const upstreams = services.map(({ name, url }) => [`The URL of the service ${name}`, url] as const)
  return orOk(
    [
      ...findInsecureSettings(config).map((name) =>
        problem(`${INSECURE_SETTINGS[name]}.`, `Fix it, and remove ${name} from ALLOW_INSECURE.`),
      ),
      ...upstreams.map(([what, url]) =>
        isUnencrypted(url)
          ? problem(
              `${what} is http:// to another machine: the network can read tokens.`,
              'Use https:// and remove the setting that allows http://.',
            )
          : undefined,
      ),
      publicUrl === undefined
        ? advice(
            'PUBLIC_URL is not set: addresses in responses come from the Host header.',
            'Set it to the address that clients use, such as https://console.example.com.',
          )
        : undefined,
    ],
    'connections to other machines are encrypted and verified',
  )
}
