import type { ValidationError } from '../../contract/validation-error.ts'
import { hasUserInfo } from '../../platform/secrets/user-info.ts'
import { valueError } from '../validation.ts'
import type { Card } from './card.ts'
import { isTestable } from './card.ts'

const USER_INFO = 'a URL must not contain a user name or a password'

/** Undefined if the text is no URL of a web server. */
export function parseWebUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined
}

/** Faults of the URLs of a card. `interfaceLoc`: where the original has an interface. */
export function checkUrls(
  card: Card,
  interfaceLoc: (index: number) => ValidationError['loc'],
): { card: Card; faults: ValidationError[]; warnings: string[] } {
  const faults: ValidationError[] = []
  const warnings: string[] = []
  for (const [index, item] of card.interfaces.entries()) {
    if (hasUserInfo(item.url)) faults.push(valueError(interfaceLoc(index), USER_INFO))
    else if (isTestable(item) && !parseWebUrl(item.url)) {
      faults.push(valueError(interfaceLoc(index), 'this must be an absolute URL with http or https'))
    }
  }
  /** A link that cannot be used is no reason to refuse the agent. */
  const link = (name: string, loc: string[], url: string | undefined): string | undefined => {
    if (url === undefined || url === '') return undefined
    if (hasUserInfo(url)) {
      faults.push(valueError(loc, USER_INFO))
      return undefined
    }
    if (parseWebUrl(url)) return url
    warnings.push(`${name} is left out: it is no URL with http or https.`)
    return undefined
  }
  const { provider, documentationUrl, iconUrl, ...rest } = card
  const providerUrl = link('provider.url', ['provider', 'url'], provider?.url)
  const documentation = link('documentationUrl', ['documentationUrl'], documentationUrl)
  const icon = link('iconUrl', ['iconUrl'], iconUrl)
  return {
    card: {
      ...rest,
      ...(provider && {
        provider: { organization: provider.organization, ...(providerUrl && { url: providerUrl }) },
      }),
      ...(documentation && { documentationUrl: documentation }),
      ...(icon && { iconUrl: icon }),
    },
    faults,
    warnings,
  }
}
