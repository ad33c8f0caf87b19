/** A data URL, so that browsers do not request /favicon.ico. */
export const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E' +
  '%3Crect width=%2232%22 height=%2232%22 rx=%228%22 fill=%22%234f46e5%22/%3E' +
  '%3Cpath d=%22M9 11l5 5-5 5M17 21h6%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%222.5%22 ' +
  'stroke-linecap=%22round%22 stroke-linejoin=%22round%22/%3E%3C/svg%3E'
