import type { IncomingMessage } from 'node:http';
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { BlobStore } from '@lettermill/blobs';
import { isRetryable } from '@lettermill/concurrency';
import { isFileRef, quoted } from '@lettermill/contract';
import { Problem, validationFailed } from '@lettermill/problems';
import { Pieces, type BodyInHand, type BodyRequest } from '@lettermill/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unsupportedType } from '../inbound/mail.bodies';
import { delimiterOf, extendedNameIn, isNameInPieces, MAX_HEAD_BYTES, PartHeads, contentTypeIn } from './part.heads';
import type { UploadedFile } from './request.files';
import { draftOf } from './small.draft';

/** Name of the part that holds the request. */
const JSON_PART = 'json';
const MAX_PARTS = 1024;
const MAX_PART_NAME_BYTES = 200;
/** FileName of the contract, without control characters (docs/send.md 16). */
const FILE_NAME = /^[^/\\\u0000-\u001f\u007f\u0085\u2028\u2029]{1,255}$/u;
/** The parser decodes UTF-8 and Latin-1, and puts this character in place of everything else. */
const REPLACEMENT_CHARACTER = '\ufffd';
/** Transfer encodings that leave the bytes unchanged. The others are not used in HTTP (RFC 7578 4.7), and nothing here decodes them. */
const IDENTITY_ENCODING = /^(?:7bit|8bit|binary)$/;

/** A multipart request after reading: the JSON as bytes, the files as drafts that the caller must commit or discard. */
export interface MultipartBody {
  json: Buffer;
  files: UploadedFile[];
}

type Parser = (request: FastifyRequest, payload: IncomingMessage, done: (error: Error | null) => void) => void;

const malformed = (detail: string) => new Problem('multipart_malformed', detail);

/**
 * Lets the calls of one route send multipart/form-data; every part is read as a stream, whatever its headers say. The plugin's hooks are
 * left out: they remove files saved for a request, which do not exist here, and they would make every request of any kind wait twice.
 */
export function acceptMultipart(fastify: FastifyInstance, url: string): Promise<void> {
  const addContentTypeParser = (type: string, parser: Parser) =>
    fastify.addContentTypeParser(type, (request, payload, done) => {
      if (request.routeOptions.url === url) parser(request, payload, done);
      else done(unsupportedType(request));
    });
  const restricted = Object.create(fastify, {
    addHook: { value: () => restricted },
    addContentTypeParser: { value: addContentTypeParser },
  }) as FastifyInstance;
  return new Promise((resolve, reject) => {
    void multipart(restricted, {}, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Reads a multipart body (RFC 7578) part by part, in any order, and never holds a whole file in memory. Throws `Problem`. If reading fails,
 * no draft is left behind.
 */
export async function readMultipart(
  request: BodyRequest,
  accountId: string,
  blobs: BlobStore,
  maxBytes: number,
): Promise<MultipartBody> {
  const { bodyInHand: inHand } = request;
  const reading: MultipartReading = { json: undefined, files: [], left: maxBytes, accountId, blobs, maxBytes, inHand };
  let partHeads: PartHeads | undefined;
  try {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    partHeads = collectHeads(request, reading);
    let takenParts = 0;
    for await (const part of request.files(parserOptions(maxBytes))) {
      // Heads are matched to parts by number, including the parts that the parser skips: no part gets the head of another.
      await takePart(reading, part, partHeads.take(takenParts));
      takenParts += 1;
    }
    // Heads, boundaries and what stands outside the parts count, too.
    if (reading.left < 0) throw tooLarge(maxBytes);
    if (partHeads.parts !== takenParts) throw malformed(partHeads.padded ? PADDED_DETAIL : UNUSABLE_DETAIL);
  } catch (error) {
    await Promise.allSettled(reading.files.map(({ draft }) => draft.discard()));
    // The rest of the body is dropped unread: the connection cannot be used again.
    request.raw.unpipe().removeAllListeners('data').resume();
    throw problemOf(error, parserFaultDetail(partHeads));
  }
  const { json, files } = reading;
  if (json) return { json, files };
  await Promise.allSettled(files.map(({ draft }) => draft.discard()));
  throw new Problem('multipart_json_missing', 'No part is named json.');
}

const parserOptions = (maxBytes: number) => ({
  limits: {
    parts: MAX_PARTS,
    // One byte more than fits: at its limit the parser reports nothing until the part has ended, which may never happen.
    fileSize: maxBytes + 1,
    headerPairs: 20,
    fieldNameSize: MAX_PART_NAME_BYTES,
  },
  isPartAFile: () => true,
  throwFileSizeLimit: false,
});

/** Without a delimiter nothing could tell which parts the parser skips. */
function collectHeads(request: FastifyRequest, reading: MultipartReading): PartHeads {
  const delimiter = delimiterOf(request.headers['content-type']!);
  if (!delimiter) {
    throw malformed('The Content-Type has no boundary. HTTP clients add one if you do not set the header yourself.');
  }
  const parts = new PartHeads(delimiter);
  request.raw.on('data', (chunk: Buffer) => {
    reading.left -= chunk.length;
    parts.add(chunk);
  });
  return parts;
}

interface MultipartReading {
  json: Buffer | undefined;
  files: UploadedFile[];
  /** Bytes that the rest of the body may have, out of `maxBytes`. */
  left: number;
  readonly maxBytes: number;
  /** The account that the files belong to, and the store they are put into. */
  readonly accountId: string;
  readonly blobs: BlobStore;
  /** Counts what is kept in memory: the JSON, but no file. Undefined if the whole body is short. */
  inHand: BodyInHand | undefined;
}

const tooLarge = (maxBytes: number) => new Problem('body_too_large', `The body has more than ${maxBytes} bytes.`);

/** The content of a part, as long as the body is within its limit. */
async function* bounded(reading: MultipartReading, part: MultipartFile): AsyncGenerator<Buffer> {
  for await (const chunk of part.file as AsyncIterable<Buffer>) {
    if (reading.left < 0) throw tooLarge(reading.maxBytes);
    yield chunk;
  }
}

async function readJsonPart(content: AsyncGenerator<Buffer>, inHand: BodyInHand | undefined): Promise<Buffer> {
  const joined: Buffer[] = [];
  const pieces = new Pieces();
  for await (const chunk of content) {
    await inHand?.add(chunk.length);
    pieces.add(chunk);
    if (pieces.areEnough) joined.push(pieces.join());
  }
  inHand?.complete();
  const json = Buffer.concat([...joined, pieces.join()]);
  await inHand?.reserveForParsing(json);
  return json;
}

async function takePart(reading: MultipartReading, part: MultipartFile, head: string | undefined): Promise<void> {
  if (head === undefined) throw malformed(`The header lines of a part have more than ${MAX_HEAD_BYTES} bytes.`);
  const content = bounded(reading, part);
  const { fieldname, filename, encoding } = part;
  if (!fieldname) throw malformed('A part has no name.');
  if (!IDENTITY_ENCODING.test(encoding)) {
    throw malformed(
      `A part has the Content-Transfer-Encoding ${quoted(encoding)}; send its bytes as they are, without one.`,
    );
  }
  if (fieldname === JSON_PART) {
    if (reading.json) throw malformed('Two parts are named json.');
    reading.json = await readJsonPart(content, reading.inHand);
    return;
  }
  if (isFileRef(fieldname) && reading.files.some(({ part: name }) => name === fieldname)) {
    throw malformed(`Two parts are named ${quoted(fieldname)}; a part that a file_ref can name needs a unique name.`);
  }
  // Browsers, curl and most libraries write a quote as %22 (HTML, multipart/form-data encoding). They encode line breaks, too, but no file
  // name may contain one.
  const given = extendedNameIn(head) ?? filename?.replaceAll('%22', '"') ?? '';
  if (given.includes(REPLACEMENT_CHARACTER) || isNameInPieces(head)) {
    throw malformed(`The filename ${quoted(given)} cannot be read: send it in UTF-8, and in one piece.`);
  }
  // A name that no file may have counts as none: where it is needed, the file has a fault (422).
  const fileName = FILE_NAME.test(given) ? given : undefined;
  const draft = await draftOf(reading.accountId, content, reading.blobs);
  reading.files.push({ part: fieldname, fileName, contentType: contentTypeIn(head), draft });
}

const PADDED_DETAIL = 'There are blanks after a boundary; only a line break may follow it.';
const UNUSABLE_DETAIL =
  'A part cannot be used: each needs `Content-Disposition: form-data; name="…"`, without line breaks in its names.';
const CUT_OFF_DETAIL = 'The body ended before its closing boundary.';

/** Says what is wrong with a body that the parser refuses; the parser's own reason is not worth reporting. */
function parserFaultDetail(partHeads: PartHeads | undefined): string {
  return partHeads?.ended ? 'The body is not well-formed multipart/form-data.' : CUT_OFF_DETAIL;
}

const DETAIL_BY_PARSER_CODE: Record<string, string> = {
  FST_MP_PREMATURE_CLOSE: CUT_OFF_DETAIL,
  FST_PROTO_VIOLATION: 'A part has a name that is not allowed, such as `constructor` or `toString`.',
};

/** A limit like those of the fields, so its refusal is one like theirs (docs/send.md 11). */
const tooManyParts = () =>
  validationFailed([{ pointer: '', code: 'too_many', detail: `at most ${MAX_PARTS} parts` }], 'accepted');

/** Errors of log and store are passed on unchanged; any error of the parser is a fault of the body. */
function problemOf(error: unknown, otherwise: string): unknown {
  if (error instanceof Problem) return error;
  const { code = '', syscall } = error as { code?: string; syscall?: string };
  if (isRetryable(error) || syscall) return error;
  if (code === 'FST_PARTS_LIMIT') return tooManyParts();
  return malformed(DETAIL_BY_PARSER_CODE[code] ?? otherwise);
}
