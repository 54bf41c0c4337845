/** Nothing is loaded and no script runs; the form posts to our own origin. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:15vh auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}</style>
<h1>${title}</h1>
${body}
</html>
`;
}

export function askPage(): string {
  const button = '<button name="List-Unsubscribe" value="One-Click">Unsubscribe</button>';
  return pageOf(
    'Unsubscribe',
    `<p>Press the button to stop getting mails of this kind.</p>\n<form method="post">${button}</form>`,
  );
}

export function donePage(): string {
  return pageOf('You are unsubscribed', '<p>You will not get mails of this kind any more.</p>');
}

export function tryAgainPage(): string {
  return pageOf(
    'Please try again',
    '<p>Your choice could not be saved just now. Go back and press the button again in a minute.</p>',
  );
}

export function brokenLinkPage(): string {
  return pageOf(
    'This link does not work',
    '<p>Part of it is missing. Open it from the mail again, or copy it completely.</p>',
  );
}
