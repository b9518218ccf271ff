// poses of frames fixed to a body

struct Place {
    pos: vec3f,
    mat: mat3x3f,
}

// position and orientation in the world of a frame given in a body; frames that coincide with the body's own frames are copied
// from them
fn local2global(body: i32, sameframe: i32, pos: vec3f, quat: vec4f) -> Place {
    var place: Place;
    if (sameframe == SAMEFRAME_BODY) {
        place.pos = xpos(body);
    } else if (sameframe == SAMEFRAME_INERTIA) {
        place.pos = xipos(body);
    } else {
        place.pos = xpos(body) + xmat(body) * pos;
    }
    if (sameframe == SAMEFRAME_NONE) {
        place.mat = quat2mat(mul_quat(xquat(body), quat));
    } else if (sameframe == SAMEFRAME_BODY || sameframe == SAMEFRAME_BODYROT) {
        place.mat = xmat(body);
    } else {
        place.mat = ximat(body);
    }
    return place;
}
